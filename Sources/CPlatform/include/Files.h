#ifndef TILLROLL_FILES_H
#define TILLROLL_FILES_H

// What Linux does with files beyond POSIX. Each gives -1 with `errno` where it fails, ENOTSUP on other systems.

/// Opens a new file without a name in a folder, to be read and written; it is gone when no process has it open.
int till_open_unnamed(const char *folder, unsigned mode);

/// Gives a file that `till_open_unnamed` opened a name, which must be free.
int till_link_unnamed(int descriptor, const char *path);

/// Opens a new file to be read and written that never has a name: it is gone when no process has it open, however the process ends.
///
/// Where the file system has no such files it has a random name for a moment.
int till_open_temporary(const char *folder);

/// Lets what two paths lead to change places, in one step.
int till_exchange(const char *one, const char *other);

/// Whether something is mounted at a path: 1 or 0, and 0 where the system does not say.
int till_is_mount_point(const char *path);

#endif
