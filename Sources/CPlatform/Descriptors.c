#define _GNU_SOURCE

#include "Descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

void till_occupy_standard_descriptors(void) {
    for (int number = 0; number <= 2; number++) {
        if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
        // `open` returns the lowest free number, which is this one. Without /dev/null, a folder serves as well.
        if (open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY) < 0) (void)open("/", O_RDONLY);
    }
}

#if defined(__GLIBC__)

void *till_silence_error_stream(void) {
    // A stream without a write function discards its output. It needs no descriptor.
    cookie_io_functions_t nothing = {0};
    FILE *silence = fopencookie(NULL, "w", nothing);
    if (!silence) return NULL;
    FILE *usual = stderr;
    stderr = silence;
    return usual;
}

void till_restore_error_stream(void *usual) {
    if (!usual) return;
    FILE *silence = stderr;
    stderr = usual;
    fclose(silence);
}

#else

void *till_silence_error_stream(void) { return NULL; }

void till_restore_error_stream(void *usual) { (void)usual; }

#endif
