#ifndef TILLROLL_DESCRIPTORS_H
#define TILLROLL_DESCRIPTORS_H

/// Opens `/dev/null`, or the root folder if it is missing, for each of the descriptors 0, 1 and 2 that is closed.
///
/// The parent process may have closed one. The next file would then get its number, and messages for standard error could go
/// into an output file. Descriptor 0 is opened so that it cannot be read, 1 and 2 so that they cannot be written. So their use
/// fails, as the use of a closed descriptor does.
void till_occupy_standard_descriptors(void);

/// Replaces C's `stderr` by a stream that discards all output. No other thread may use `stderr` until it is restored.
///
/// Returns the original stream; NULL if it could not be replaced, as without glibc.
void *till_silence_error_stream(void);

/// Restores the stream that `till_silence_error_stream` returned. Does nothing for NULL.
void till_restore_error_stream(void *usual);

#endif
