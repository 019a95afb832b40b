#ifndef TILLROLL_DESCRIPTORS_H
#define TILLROLL_DESCRIPTORS_H

/// Sees to it that the descriptors 0, 1 and 2 are taken.
///
/// The parent process may have closed one. The next file that is opened would have its number, and a message for standard
/// error would go into a result. What is put there can be neither read nor written as its number wants, so that its use is an
/// error, as that of a closed one is.
void till_occupy_standard_descriptors(void);

/// Discards what libraries write to C's `stderr`, for a while in which no other thread uses it; NULL where that is not to be had.
void *till_silence_error_stream(void);

/// Ends what `till_silence_error_stream` began, which gave `usual`.
void till_restore_error_stream(void *usual);

#endif
