"""The work directory, which supervisors on the same machine share, and functions to remove files from it."""

import os
import secrets
import shutil
import stat

WORK = os.path.join(os.path.abspath(os.environ.get("SVC_WORK_DIR") or "/tmp/svc"), "python3")
"""A subdirectory, because the Node-hosted supervisors lay out their artefacts differently."""
TMP = "/tmp"
SOLE = os.environ.get("SVC_TMP_MODE") == "sweep" or os.environ.get("SVC_SOLE_SUPERVISOR") == "on"
"""No other supervisor uses the work directory: on AWS, and in tests of it."""


def folder(*names):
    """Returns a directory below the work directory and creates it if necessary."""
    path = os.path.join(WORK, *names)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def repair():
    """Creates the folders that a script has removed or replaced. Call it before each run."""
    for path in (WORK, *(os.path.join(WORK, *names) for names in (("hosts",), ("artefacts",), ("artefacts", ".new")))):
        if not is_folder(path):
            remove(path)
            os.makedirs(path, mode=0o700, exist_ok=True)


def is_folder(path):
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode) and mode & 0o700 != 0o700:
            os.chmod(path, 0o700)
        return stat.S_ISDIR(mode)
    except OSError:
        return False


def own_name():
    """Returns a unique name. It begins with the process id, so that leftovers of ended supervisors can be recognised."""
    return f"{os.getpid()}-{secrets.token_hex(6)}"


def remove_leftovers():
    """Removes files of supervisors that were killed."""
    for parent in (folder("hosts"), folder("artefacts", ".new")):
        for name in os.listdir(parent):
            pid = name.partition("-")[0]
            if pid.isdigit() and not _is_alive(int(pid)):
                remove(os.path.join(parent, name))


def remove(path):
    """Removes a file or directory tree, including a read-only one. Files of other users remain."""
    if os.path.islink(path) or not os.path.isdir(path):
        try:
            os.unlink(path)
        except OSError:
            pass
        return
    shutil.rmtree(path, ignore_errors=True)
    if os.path.isdir(path):
        for directory, _, _ in os.walk(path):
            try:
                os.chmod(directory, 0o700)
            except OSError:
                pass
        shutil.rmtree(path, ignore_errors=True)


def empty(directory, keep):
    """Removes everything in `directory` except the paths in `keep` and their parents."""
    try:
        entries = list(os.scandir(directory))
    except OSError:
        return
    for entry in entries:
        if entry.path in keep:
            continue
        if any(path.startswith(entry.path + os.sep) for path in keep):
            empty(entry.path, keep)
        else:
            remove(entry.path)


def _is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
