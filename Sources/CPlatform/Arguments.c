#include "Arguments.h"

// For __GLIBC__, too.
#include <stdlib.h>

static char *const *arguments;

#if defined(__linux__) && defined(__GLIBC__)

// glibc calls constructors as it calls main; other libraries call them without arguments.
__attribute__((constructor)) static void keep(int count, char **values) {
    (void)count;
    arguments = values;
}

#endif

char *const *till_arguments(void) { return arguments; }
