"""Ends the processes that runs left behind: those that the supervisor does not know."""

import os
import signal
import time

from svc_host import isolation

from . import work

_older = {}
"""The start times of processes that are older than the first host, by process id."""
_unrelated = set()
"""Processes that are not descendants of the supervisor and cannot become any. Forgotten after a minute, because ids are reused."""
_forget_at = 0.0
_SWEEP_S = float(os.environ.get("SVC_TEST_SWEEP_MS") or 5000) / 1000
"""A run that starts processes faster than they are killed must not stop the supervisor for longer."""
_LAST_SWEEP_S = 5.0
"""After everything was killed, the remaining processes are found quickly."""
_kills_of_all = 0
_left = None


def take_control():
    """Hides this process from scripts and makes it the parent of all orphans below it. Call it before the first host starts."""
    isolation.hide_from_children()
    isolation.adopt_orphans()
    _older.update({pid: started for pid, _, started, has_ended in _entries() if not has_ended})


def judge(pid, by_id, supervisor, older, hosts, ended, unrelated):
    """Returns the relation of a process: "stray", "known", "unrelated", or "torn" if its parent ended while the list was read.

    `by_id` contains (id, parent, start time) by id. A stray is a descendant of the supervisor that it does not know. No process of a run
    can escape from the descendants, because supervisor and hosts adopt orphans. A host ends the processes that its forks leave, so its
    descendants are known, except for those of `ended`, a host that ran a job itself.
    """
    if pid == supervisor or pid in hosts:
        return "known"
    while True:
        _, parent, started = by_id[pid]
        if pid == supervisor:
            return "stray"
        if pid in hosts:
            return "stray" if pid == ended else "known"
        if parent == 0 or parent in unrelated:
            return "unrelated"
        if older.get(pid) == started:
            return "known"
        if parent not in by_id:
            return "torn"
        pid = parent


def kill(hosts, ended):
    """Kills the strays, including those that they fork during the search, and returns their number. `hosts` are the ids of all hosts.

    If more remain after some seconds, all processes end at once, where that is possible.
    """
    global _left
    killed, is_over = _sweep(hosts, ended, _SWEEP_S)
    if not is_over:
        return killed
    if not _kill_all() or _sweep(hosts, ended, _LAST_SWEEP_S)[1]:
        _left = "Processes of a run could not be ended, because they start others too fast."
    return max(1, killed)


def count_kills_of_all():
    """Returns how often all processes were killed. A host that was started before is dead."""
    return _kills_of_all


def take_survivors():
    """Returns the fault if processes of the last run could not be ended, once."""
    global _left
    fault, _left = _left, None
    return fault


def owns_all(pids, supervisor, parent_of, may_signal):
    """Returns whether a signal to all processes would reach only descendants of the supervisor. Follows `ownsAll` of the Node-hosted supervisor.

    The system sends it neither to its sender nor to process 1. Returns False if the supervisor may signal any other process, such as the
    programs of a developer. `parent_of` returns None for a process that has ended.
    """

    def is_below(pid):
        while pid != supervisor:
            if pid is None:
                return None
            if pid <= 1:
                return False
            pid = parent_of(pid)
        return True

    def is_spared_or_below(pid):
        # The parent may end during the walk up the ancestors; the supervisor then becomes the parent.
        for _ in range(20):
            found = is_below(pid)
            if found or parent_of(pid) is None:
                return True
            if found is False:
                return not may_signal(pid)
        return False

    return all(pid == 1 or is_spared_or_below(pid) for pid in pids)


def _kill_all():
    """Kills all descendants of the supervisor at once, including the hosts, so that none of them can start another process first.

    Does nothing and returns False where this would reach other programs, as on a developer's machine.
    """
    global _kills_of_all
    _unrelated.clear()
    pids = [pid for pid, _, _, has_ended in _entries() if not has_ended]
    if not work.SOLE or not owns_all(pids, os.getpid(), _parent_of, _may_signal):
        return False
    _kills_of_all += 1
    try:
        os.kill(-1, signal.SIGKILL)
    except OSError:
        # No process was left.
        pass
    return True


def _parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as stat:
            return int(stat.read().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        # The process has ended.
        return None


def _may_signal(pid):
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        # It belongs to another user, or has ended.
        return False


def _sweep(hosts, ended, seconds):
    """Returns the number of strays that it killed, and whether more remained at the time limit."""
    global _forget_at
    now = time.monotonic()
    if now > _forget_at:
        _unrelated.clear()
        _forget_at = now + 60
    killed, gone = set(), set()
    while time.monotonic() < now + seconds:
        by_id, gone_before = {}, len(gone)
        for pid, parent, started, has_ended in _entries():
            if not has_ended:
                by_id[pid] = (pid, parent, started)
                continue
            if pid not in hosts:
                gone.add(pid)
            if parent == os.getpid() and pid not in hosts:
                _reap(pid)
        verdicts = {pid: judge(pid, by_id, os.getpid(), _older, hosts, ended, _unrelated) for pid in by_id}
        _unrelated.update(pid for pid, verdict in verdicts.items() if verdict == "unrelated")
        found = [pid for pid, verdict in verdicts.items() if verdict == "stray" and pid not in killed]
        # A process that ended while the list was read may have started another one, which is not in the list.
        if not found and "torn" not in verdicts.values() and len(gone) == gone_before:
            return len(killed), False
        for pid in found:
            killed.add(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                # The process has ended.
                pass
    return len(killed), True


def _reap(pid):
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass


def _entries():
    """Yields (id, parent, start time, has ended) of each process that is not known to be unrelated; nothing on systems without /proc."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if not name.isdigit() or int(name) in _unrelated:
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="latin-1") as stat:
                # The name is in parentheses and may contain any character, so parsing starts after the last parenthesis.
                fields = stat.read().rpartition(")")[2].split()
            # A process whose first thread has ended is shown as a zombie, although its other threads run.
            yield int(name), int(fields[1]), fields[19], fields[0] in "ZX" and int(fields[17]) <= 1
        except (OSError, ValueError, IndexError):
            # The process ended after the list of names was read.
            yield int(name), None, None, True
