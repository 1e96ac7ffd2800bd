"""How a job's writes to /tmp are undone: `SVC_TMP_MODE` = `sweep`, `private` or `none`."""

import os
import sys

from . import work

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class TmpPolicy:
    def __init__(self, mode):
        self.mode = mode if mode in ("sweep", "private") else "none"
        self.note = None

    def mounts(self, home):
        """What a host needs for a /tmp of its own: the directory, and what must stay visible in it. None in other modes."""
        if self.mode != "private":
            return None
        directory = os.path.join(home, "tmp")
        os.makedirs(directory, exist_ok=True)
        os.chmod(directory, 0o1777)
        binds = []
        for path in visible_below_tmp(home):
            target = directory + path[len(work.TMP) :]
            os.makedirs(target, exist_ok=True)
            binds.append([path, target])
        return {"directory": directory, "binds": binds}

    def give_up(self, reason):
        """The kernel does not let us mount: jobs share the machine's /tmp from now on, and the log line says so."""
        self.mode = "none"
        self.note = f"no private /tmp: {reason}"

    def undo(self, host):
        """After a run, when none of its processes lives."""
        if self.mode == "sweep":
            work.empty(work.TMP, {work.WORK, *visible_below_tmp(host.home)})
        elif self.mode == "private" and host.mounts:
            work.empty(host.mounts["directory"], {target for _, target in host.mounts["binds"]})


def visible_below_tmp(home):
    """Directories below /tmp that a host needs: the artefacts, its jobs, this runner and the interpreter, where they lie there."""
    wanted = [
        os.path.join(work.WORK, "artefacts"),
        os.path.join(home, "jobs"),
        _HERE,
        sys.prefix,
        sys.base_prefix,
        os.path.dirname(os.path.realpath(sys.executable)),
    ]
    kept = []
    for path in sorted(set(wanted)):
        below = path.startswith(work.TMP + os.sep)
        if below and os.path.isdir(path) and not any(path == other or path.startswith(other + os.sep) for other in kept):
            kept.append(path)
    return kept
