"""Kernel features that isolate a host. On systems other than Linux these functions return False or raise OSError."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36
_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent():
    """Makes the kernel kill this process when its parent ends, for any reason."""
    return _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans():
    """Makes orphaned descendants children of this process, so that all of them can be found."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def hide_from_children(hidden=True):
    """Prevents other processes of the same user from reading or changing this one's memory, environment and descriptors (root still can).

    Forks inherit it; a program that such a process starts is not hidden.
    """
    return _prctl(_PR_SET_DUMPABLE, 0 if hidden else 1)


def make_tmp_private(directory, binds):
    """Gives this process and its descendants a private /tmp.

    `directory` becomes /tmp; `binds` are pairs (path that remains visible, mount point inside `directory`).
    Must run before any thread starts. After an OSError the process is in an undefined state and must not be used.
    """
    if _libc is None:
        raise OSError("needs Linux")
    uid, gid = os.geteuid(), os.getegid()
    try:
        if uid != 0:
            raise PermissionError
        _check(_libc.unshare(_CLONE_NEWNS))
    except PermissionError:
        # Without privileges, a user namespace with the same ids allows the mounts.
        _check(_libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS))
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    _mount(None, "/", _MS_REC | _MS_PRIVATE)
    for source, target in binds:
        _mount(source, target, _MS_BIND | _MS_REC)
    _mount(directory, "/tmp", _MS_BIND | _MS_REC)


def _mount(source, target, flags):
    encoded = None if source is None else os.fsencode(source)
    _check(_libc.mount(encoded, os.fsencode(target), None, ctypes.c_ulong(flags), None))


def _prctl(option, value):
    if _libc is None:
        return False
    return _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) == 0


def _check(status):
    if status != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _write(path, text):
    with open(path, "w") as file:
        file.write(text)
