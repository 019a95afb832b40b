#ifndef TILLROLL_ARGUMENTS_H
#define TILLROLL_ARGUMENTS_H

/// The arguments of the process as the system handed them over, the name of the program first and NULL last; NULL where the
/// C library does not tell (musl).
///
/// Swift reads them from /proc, which is not there in every container.
char *const *till_arguments(void);

#endif
