#ifndef TILLROLL_ARGUMENTS_H
#define TILLROLL_ARGUMENTS_H

/// The arguments of the process, with the name of the program first and NULL last. NULL if the C library does not pass
/// them (musl).
///
/// Swift reads them from /proc, which some containers do not have.
char *const *till_arguments(void);

#endif
