"""The supervisor's own directory, shared with other supervisors on the same machine, and the undoing of writes to /tmp."""

import os
import secrets
import shutil

WORK = os.path.join(os.path.abspath(os.environ.get("SVC_WORK_DIR") or "/tmp/svc"), "python3")
"""Below the common directory: the other languages' supervisors keep their artefacts by rules of their own."""
TMP = "/tmp"


def folder(*names):
    """A directory below the work directory, made when it is not there."""
    path = os.path.join(WORK, *names)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def own_name():
    """A name no other supervisor uses; it begins with our process id, so that leftovers of ended ones can be told."""
    return f"{os.getpid()}-{secrets.token_hex(6)}"


def remove_leftovers():
    """Removes what supervisors left behind that were killed in the middle."""
    for parent in (folder("hosts"), folder("artefacts", ".new")):
        for name in os.listdir(parent):
            pid = name.partition("-")[0]
            if pid.isdigit() and not _lives(int(pid)):
                remove(os.path.join(parent, name))


def remove(path):
    """Removes a file or directory tree, also one that was made read-only. What belongs to others stays."""
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
    """Removes everything in `directory` but the paths in `keep` and what leads to them."""
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


def _lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
