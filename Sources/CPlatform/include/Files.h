#ifndef TILLROLL_FILES_H
#define TILLROLL_FILES_H

// File functions of Linux that POSIX does not have. Except for `till_is_mount_point`, each returns -1 and sets `errno`
// if it fails. `errno` is ENOTSUP if the system has no such function.

/// Opens a new file without a name in a folder, for reading and writing. The system removes it when no process has it
/// open, unless `till_link_unnamed` has given it a name.
int till_open_unnamed(const char *folder, unsigned mode);

/// Gives a name to a file that `till_open_unnamed` opened. No file of that name may exist.
int till_link_unnamed(int descriptor, const char *path);

/// Opens a new file for reading and writing that can get no name. The system removes it when no process has it open,
/// however the process ends.
int till_open_temporary(const char *folder);

/// Exchanges the files at two paths atomically.
int till_exchange(const char *one, const char *other);

/// Whether `path` is a mount point: 1 or 0. Also 0 if the system does not tell.
int till_is_mount_point(const char *path);

#endif
