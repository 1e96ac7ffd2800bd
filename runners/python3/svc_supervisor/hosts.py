"""Idle host interpreters: one per key, up to `MAX_KEYED`, and a spare one without a key.

A key is the request's host key, and the artefact's hash for a dedicated host, whose process has executed the script itself.
"""

import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time

from svc_host import processes, wire

from . import strays, work

MAX_KEYED = 3
"""The number of hosts with a key. The spare host is an additional one."""
MAX_IDLE_S = 300
MAX_RUNS = 500
MAX_GROWTH_KB = 64 * 1024
MAX_DEDICATED_KB = 512 * 1024
_START_S = 30
_ANSWER_S = 10
_MAX_MESSAGE = 64 * 1024
_MAIN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "svc_host", "main.py")


class HostFailed(Exception):
    """The host cannot be started or has ended."""


class Host:
    """One host process. The constructor does not wait for its start; `ready` does."""

    def __init__(self, tmp):
        self.runs = 0
        self._born = strays.count_kills_of_all()
        self.idle_since = 0.0
        self.lease = None
        self.baseline_kb = None
        self.home = work.folder("hosts", work.own_name())
        # A private /tmp bind-mounts these directories when the host starts, so they must exist.
        work.folder("artefacts")
        os.mkdir(os.path.join(self.home, "jobs"), 0o700)
        self._place = os.lstat(os.path.join(self.home, "jobs")).st_ino
        mark = secrets.token_hex(16)
        self.marker = f"SVC_RUN={mark}".encode()
        # The complete environment of a script besides its request's variables and its directories: no variable of the supervisor
        # may leak. The mark identifies processes of a run that left its process group.
        self.environment = {
            "PATH": os.environ.get("PATH") or "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8" if sys.platform == "linux" else "en_US.UTF-8",
            "SVC_RUN": mark,
        }
        # An interpreter with a shared library, as Lambda's may be, cannot start without this variable.
        if os.environ.get("LD_LIBRARY_PATH"):
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        self.mounts = tmp.mounts(self.home)
        self._directory = None
        self._is_ready = False
        self._destroyed = False
        self._preloads = 0
        self.control, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        try:
            # -I and -S hide the environment, the current directory and the machine's packages from the script.
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-u", "-X", "utf8", _MAIN, str(theirs.fileno()), str(lifeline)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=self.environment,
                cwd="/",
                pass_fds=[theirs.fileno(), lifeline],
                start_new_session=True,
            )
        except OSError as error:
            self._close()
            work.remove(self.home)
            raise HostFailed(f"no interpreter: {error.strerror}") from error
        finally:
            theirs.close()
            os.close(lifeline)

    def ready(self):
        """Waits until the host can take a run. Raises HostFailed, or TmpFailed if only the private /tmp failed."""
        if self._is_ready:
            return
        try:
            self.control.settimeout(_START_S)
            wire.send(self.control, {"start": {"marker": self.marker.decode(), "tmp": self.mounts}})
            message, _ = self.receive()
            self.control.settimeout(_ANSWER_S)
        except wire.Closed as error:
            raise HostFailed("the interpreter did not start") from error
        if "tmpError" in message["ready"]:
            raise TmpFailed(message["ready"]["tmpError"])
        self._is_ready = True
        self.baseline_kb = processes.memory_kb(self.process.pid, "VmRSS")

    def next_fork(self):
        """Returns process id and socket of the fork that waits for the next run; the caller closes the socket. Raises HostFailed."""
        try:
            while True:
                message, sockets = self.receive(max_fds=1)
                # Forks made before the last preload have already ended.
                if "next" in message and message["preloads"] == self._preloads:
                    fork = socket.socket(fileno=sockets[0])
                    fork.settimeout(_ANSWER_S)
                    return message["next"], fork
                for fd in sockets:
                    os.close(fd)
        except wire.Closed as error:
            raise HostFailed("it has ended") from error

    def receive(self, max_fds=0):
        """Returns the host's next message. Raises wire.Closed, also for invalid data: in a dedicated host user code can reach the socket."""
        return wire.receive(self.control, max_fds, _MAX_MESSAGE)

    def preload(self, modules):
        """Makes the idle host import standard modules, so that the next run does not have to."""
        try:
            wire.send(self.control, {"preload": modules})
            self._preloads += 1
        except wire.Closed:
            # The next run notices that the host has ended.
            pass

    def directory(self):
        """Returns the directory of the next run, with mode 0700 and empty except for `tmp`."""
        if self._directory is None:
            directory = os.path.join(self.home, "jobs", secrets.token_hex(8))
            os.mkdir(directory, 0o700)
            os.mkdir(os.path.join(directory, "tmp"), 0o700)
            self._directory = directory
        return self._directory

    def clear_directory(self):
        """Removes the run's directory. An unchanged one is reused, because creating one costs more than a short script."""
        directory = self._directory
        if directory and not (_is_private(directory, ["tmp"]) and _is_private(os.path.join(directory, "tmp"), [])):
            self._directory = None
            work.remove(directory)

    def alive(self):
        return self.process.poll() is None

    def is_usable(self):
        """Whether the host runs and its directory is still the one that was made for it."""
        try:
            is_alive = self.alive() and self._born == strays.count_kills_of_all()
            return is_alive and os.lstat(os.path.join(self.home, "jobs")).st_ino == self._place
        except OSError:
            return False

    def worn_out(self, dedicated):
        """Returns the reason why this host must not run again, or None."""
        if self.runs >= MAX_RUNS:
            return "age"
        now_kb = processes.memory_kb(self.process.pid, "VmRSS") or 0
        limit_kb = MAX_DEDICATED_KB if dedicated else (self.baseline_kb or now_kb) + MAX_GROWTH_KB
        return "memory" if now_kb > limit_kb else None

    def destroy(self):
        """Ends the host and its descendants and removes its directory. Returns its exit code, negative for a signal. Idempotent."""
        if self._destroyed:
            return self.process.returncode
        self._destroyed = True
        pid = self.process.pid
        if self.alive():
            # Its children cannot be found after its end, so they are killed first; a stopped host cannot create new ones.
            try:
                os.kill(pid, signal.SIGSTOP)
            except OSError:
                pass
            processes.kill_strays(pid, self.marker)
        processes.kill_group(pid)
        code = self.process.wait()
        processes.kill_strays(pid, self.marker)
        self._close()
        shutil.rmtree(self.home, ignore_errors=True)
        work.remove(self.home)
        if self.lease:
            self.lease.release()
        return code

    def _close(self):
        self.control.close()
        os.close(self._lifeline)


def _is_private(directory, entries):
    try:
        mode = os.lstat(directory).st_mode
        return stat.S_ISDIR(mode) and stat.S_IMODE(mode) == 0o700 and os.listdir(directory) == entries
    except OSError:
        return False


class TmpFailed(HostFailed):
    """The kernel does not allow a private /tmp for this host."""


class Pool:
    """The hosts of this supervisor. An invocation must hold `lock`, because a thread ends idle hosts."""

    def __init__(self, tmp):
        self.lock = threading.Lock()
        self._tmp = tmp
        self._hosts = {}
        self._spare = None
        self._reaper = None

    def prepare(self):
        """Starts the spare host without waiting for it. It has run no user code, so it can serve any key."""
        self._drop_unusable_spare()
        if self._spare is None:
            self._spare = Host(self._tmp)

    def take(self, key):
        """Returns a ready host for `key` and whether it is new. Return it with `put`, or `destroy` it. Raises HostFailed."""
        host = self._hosts.pop(key, None)
        if host and host.is_usable():
            return host, False
        if host:
            host.destroy()
        while len(self._hosts) >= MAX_KEYED:
            self._hosts.pop(next(iter(self._hosts))).destroy()
        return self._new(), True

    def end_others(self, key):
        """Ends the dedicated hosts of other keys, whose threads may still be active, and returns whether there were any."""
        others = [other for other in self._hosts if other != key and other[1] is not None]
        for other in others:
            self._hosts.pop(other).destroy()
        return bool(others)

    def put(self, key, host):
        host.idle_since = time.monotonic()
        self._hosts[key] = host
        if self._reaper is None:
            self._reaper = threading.Thread(target=self._end_idle, name="idle hosts", daemon=True)
            self._reaper.start()

    def ids(self):
        """Returns the process ids of the hosts that wait."""
        return {host.process.pid for host in [*self._hosts.values(), *([self._spare] if self._spare else [])]}

    def close(self):
        """Ends all hosts and removes their directories. If this process is killed, they end by themselves."""
        for host in [*self._hosts.values(), *([self._spare] if self._spare else [])]:
            host.destroy()
        self._hosts, self._spare = {}, None

    def _end_idle(self):
        while True:
            time.sleep(MAX_IDLE_S / 5)
            with self.lock:
                for key, host in list(self._hosts.items()):
                    if time.monotonic() - host.idle_since > MAX_IDLE_S:
                        self._hosts.pop(key).destroy()

    def _drop_unusable_spare(self):
        if self._spare and not self._spare.is_usable():
            self._spare.destroy()
            self._spare = None

    def _new(self):
        self._drop_unusable_spare()
        for last in (False, True):
            host, self._spare = self._spare or Host(self._tmp), None
            try:
                host.ready()
                return host
            except TmpFailed as error:
                self._tmp.give_up(str(error))
                host.destroy()
            except HostFailed:
                host.destroy()
                if last:
                    raise
        raise HostFailed("the interpreter did not start")
