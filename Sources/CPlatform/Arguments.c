#include "Arguments.h"

// Also defines __GLIBC__.
#include <stdlib.h>

static char *const *arguments;

#if defined(__linux__) && defined(__GLIBC__)

// glibc passes the arguments of `main` to constructors. Other libraries do not.
__attribute__((constructor)) static void keep(int count, char **values) {
    (void)count;
    arguments = values;
}

#endif

char *const *till_arguments(void) { return arguments; }
