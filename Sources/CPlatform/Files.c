#define _GNU_SOURCE

#include "Files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)

#include <sys/syscall.h>

// RENAME_EXCHANGE, which old headers of the C library lack.
#define TILL_RENAME_EXCHANGE 2

/// The path of an open file in /proc. It does not exist if /proc is not mounted.
struct descriptor_path {
    char text[40];
};

static struct descriptor_path path_of(int descriptor) {
    struct descriptor_path path;
    snprintf(path.text, sizeof path.text, "/proc/self/fd/%d", descriptor);
    return path;
}

int till_open_unnamed(const char *folder, unsigned mode) {
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (descriptor < 0) return -1;
    // `till_link_unnamed` needs /proc. The alternative, AT_EMPTY_PATH, needs root or a recent kernel.
    if (access(path_of(descriptor).text, F_OK) == 0) return descriptor;
    close(descriptor);
    errno = ENOTSUP;
    return -1;
}

int till_open_temporary(const char *folder) { return open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600); }

int till_link_unnamed(int descriptor, const char *path) {
    return linkat(AT_FDCWD, path_of(descriptor).text, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int till_exchange(const char *one, const char *other) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, TILL_RENAME_EXCHANGE);
}

int till_is_mount_point(const char *path) {
#if defined(STATX_ATTR_MOUNT_ROOT)
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_INO, &status) != 0) return 0;
    return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
    return 0;
#endif
}

#else

int till_open_temporary(const char *folder) {
    (void)folder;
    errno = ENOTSUP;
    return -1;
}

int till_open_unnamed(const char *folder, unsigned mode) {
    (void)folder, (void)mode;
    errno = ENOTSUP;
    return -1;
}

int till_link_unnamed(int descriptor, const char *path) {
    (void)descriptor, (void)path;
    errno = ENOTSUP;
    return -1;
}

#if defined(__APPLE__)
int till_exchange(const char *one, const char *other) { return renamex_np(one, other, RENAME_SWAP); }
#else
int till_exchange(const char *one, const char *other) {
    (void)one, (void)other;
    errno = ENOTSUP;
    return -1;
}
#endif

int till_is_mount_point(const char *path) {
    (void)path;
    return 0;
}

#endif
