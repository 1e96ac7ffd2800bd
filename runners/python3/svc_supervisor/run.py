"""One run on a host: starts it, reads its output, enforces time, memory and cancellation, and parses its result."""

import json
import os
import secrets
import selectors
import signal
import time

from svc_host import processes, wire

from . import beats as beating
from .hosts import HostFailed
from .logs import Log

_TICK_S = 0.25
_GRACE_S = 3.0
"""The time in which a host must end a run after a kill order."""
_DRAIN_S = 0.3
"""The time for which output is still read after all known processes of a run have ended."""
_HEADROOM_MB = 96
"""The part of the function's memory for the supervisor, the hosts and one result in transit."""
_MAX_HEADER = 256 * 1024


class Run:
    """Call `execute` once, then read the fields. `beats` remains open after the run, so call `close` at the end."""

    def __init__(self, request, host):
        self.request = request
        self.host = host
        self.log = Log(request["maxLogBytes"])
        self.beats = None
        self.retire = None
        """The reason why the host must not be used again."""
        self.verdict = None
        """`(outcome, error)` when the supervisor ended the run."""
        self.mem_peak_kb = None
        self.exit_code = None
        """Exit code of the process; negative for a signal."""
        self.header = None
        """The wrapper's header; None if the process ended without it."""
        self.body = b""
        self.preprocessed = None
        """JSON of the arguments that the preprocessor returned."""
        self._pid = None
        self._exited = False
        self._raw = bytearray()
        self._secret = secrets.token_hex(16)
        self._deadline = None
        self._kill_by = None
        self._memory_limit_kb = _memory_limit_kb()
        self._measure_at = 0.0

    def execute(self, directory, root, entry):
        """Runs the job to its end. Raises HostFailed if the host could not take the job; then nothing has run."""
        out, out_writer = os.pipe()
        result, result_writer = os.pipe()
        self._fds = {out, result}
        try:
            try:
                self._send({"run": self._job(directory, root, entry)}, (out_writer, result_writer))
            finally:
                os.close(out_writer)
                os.close(result_writer)
            self.host.runs += 1
            self.ran_from = time.monotonic()
            self._deadline = self.ran_from + self.request["timeoutMs"] / 1000
            with selectors.DefaultSelector() as selector:
                self._selector = selector
                selector.register(out, selectors.EVENT_READ, self._on_output)
                selector.register(result, selectors.EVENT_READ, self._on_result)
                selector.register(self.host.control, selectors.EVENT_READ, self._on_message)
                self._loop()
        finally:
            for fd in self._fds:
                os.close(fd)
        self.ended_at = time.monotonic()
        self.log.close()
        self._parse_result()

    def flush(self):
        """Sends output that exceeds the outcome's limit, even for a run that ended before its first beat."""
        follows = self.request.get("follows")
        if self.beats is None and not follows and self.log.units > beating.MAX_RETURNED_UNITS:
            self.beats = self._make_beats()
        if self.beats:
            self.beats.flush()

    def close(self):
        if self.beats:
            self.beats.close()

    def _send(self, message, fds):
        try:
            if self.request["dedicated"]:
                self._pid = self.host.process.pid
                wire.send(self.host.control, message, fds)
                return
            self._pid, fork = self.host.next_fork()
            with fork:
                wire.send(fork, message, fds)
        except wire.Closed as error:
            raise HostFailed("it has ended") from error

    def _job(self, directory, root, entry):
        request = self.request
        own = {"HOME": directory, "TMPDIR": os.path.join(directory, "tmp")}
        return {
            "dir": directory,
            "root": root,
            "entry": entry,
            "entrypoint": request["entrypoint"],
            "params": request.get("params"),
            "args": request["args"],
            "env": request["env"] | self.host.environment | own,
            "dedicated": request["dedicated"],
            **self._preprocessor(),
            "maxResultBytes": request["maxResultBytes"],
            "secret": self._secret,
        }

    def _preprocessor(self):
        request = self.request
        preprocessor = request.get("preprocessor")
        if not preprocessor:
            return {}
        check = {"url": f"{request['internalUrl']}/api/internal/jobs/{request['job']}/check", "token": request["token"]}
        own = {"maxBytes": request["maxInlineResultBytes"]} | ({"check": check} if preprocessor.get("checks") else {})
        return {"preprocessor": preprocessor | own}

    def _loop(self):
        drain_until = None
        while len(self._fds) > 0 or not self._exited:
            now = time.monotonic()
            if not self._exited:
                self._check(now)
            if self._exited:
                drain_until = drain_until or now + _DRAIN_S
                if now >= drain_until:
                    return
            for key, _ in self._selector.select(self._patience(now, drain_until)):
                key.data(key.fd)

    def _patience(self, now, drain_until):
        ends = [now + _TICK_S]
        ends.append(drain_until if self._exited else self._kill_by or self._deadline)
        if self.beats is None:
            ends.append(self.ran_from + beating.first_after_s(self.request))
        return max(0.0, min(ends) - now)

    def _make_beats(self):
        # The output of a following run is only in the answer.
        log = Log(0) if self.request.get("follows") else self.log
        return beating.Beats(self.request, log, self._memory_peak, self.ran_from)

    def _check(self, now):
        if self._kill_by and now >= self._kill_by:
            # The host did not carry out the kill order in time.
            self._lose_host("blocked")
        elif self.verdict:
            return
        elif now >= self._deadline:
            limit = f"{self.request['timeoutMs'] / 1000:.3f}".rstrip("0").rstrip(".")
            self._end("timeout", {"name": "TimeoutError", "message": f"The script ran longer than its limit of {limit} s and was stopped."})
        elif self.beats is None and now - self.ran_from >= beating.first_after_s(self.request):
            self.beats = self._make_beats()
            self.beats.start()
            self._selector.register(self.beats.wake, selectors.EVENT_READ, self._on_beat_verdict)
        elif self._memory_limit_kb and now >= self._measure_at:
            self._measure_at = now + _TICK_S
            if (processes.memory_kb(self._pid, "VmRSS") or 0) > self._memory_limit_kb:
                self._end("failure", out_of_memory(self._memory_limit_kb))

    def _end(self, outcome, error):
        """Kills the run by decision of the supervisor. A result that the script has already written is ignored."""
        if self.verdict:
            return
        self.verdict = (outcome, error)
        if self.request["dedicated"]:
            self._lose_host("killed")
            return
        self._kill_by = time.monotonic() + _GRACE_S
        try:
            wire.send(self.host.control, {"kill": self._pid})
        except wire.Closed:
            self._lose_host("died")

    def _lose_host(self, why):
        self.retire = why
        if self._exited:
            return
        self._exited = True
        self._selector.unregister(self.host.control)
        self.mem_peak_kb = self.mem_peak_kb or self._memory_peak()
        if self._pid and self._pid != self.host.process.pid:
            processes.kill_group(self._pid)
        self.exit_code = self.host.destroy()

    def _on_output(self, fd):
        data = os.read(fd, 1 << 16)
        if data:
            self.log.feed(data)
        else:
            self._finish(fd)

    def _on_result(self, fd):
        data = os.read(fd, 1 << 20)
        if not data:
            self._finish(fd)
        elif len(self._raw) <= self.request["maxResultBytes"] + self._room_for_arguments() + _MAX_HEADER:
            # The wrapper never sends more than this, so any excess was written by the script and is ignored.
            self._raw += data

    def _room_for_arguments(self):
        return self.request["maxInlineResultBytes"] if self.request.get("preprocessor") else 0

    def _on_message(self, _):
        try:
            # The message after the end carries the next fork's socket. It remains unread because it belongs to the next run.
            message, _ = self.host.receive()
        except wire.Closed:
            self._lose_host("died")
            return
        # A dedicated host may still report the end of the fork that it does not need.
        if "exited" in message and message["exited"]["pid"] == self._pid:
            ended = message["exited"]
            self._exited = True
            self.exit_code = ended["code"]
            self.mem_peak_kb = ended["memPeakKb"] or None
            if ended["strays"]:
                self.retire = "left-over processes"
                self.host.destroy()

    def _on_beat_verdict(self, fd):
        os.read(fd, 16)
        self._selector.unregister(fd)
        if not self._exited:
            self._end(*self.beats.verdict)

    def _finish(self, fd):
        self._selector.unregister(fd)
        self._fds.discard(fd)
        os.close(fd)

    def _memory_peak(self):
        return processes.memory_kb(self._pid) if self._pid else None

    def _parse_result(self):
        """Parses the frames that carry this run's secret; all other bytes in the pipe were written by the script."""
        raw, secret = bytes(self._raw), self._secret.encode()
        self._raw.clear()
        start = raw.find(secret)
        while start >= 0:
            payload = start + len(secret) + 16
            try:
                size = int(raw[start + len(secret) : payload], 16)
                if len(raw) < payload + size:
                    return
                line, _, body = raw[payload : payload + size].partition(b"\n")
                header = json.loads(line)
            except ValueError:
                return
            if "preprocessed" not in header:
                self.header, self.body = header, body
                return
            self.preprocessed = body
            start = raw.find(secret, payload + size)


def out_of_memory(limit_kb):
    return {
        "name": "MemoryError",
        "message": f"The script used more than its {limit_kb // 1024} MB of memory and was stopped.",
        "signal": "SIGKILL",
    }


def ended_early(code, entrypoint):
    """Returns the error of a process that ended before its function returned. `code` is negative for a signal."""
    if code is None or code >= 0:
        message = f"The script exited with code {code or 0} before '{entrypoint}' returned."
        return {"name": "ExitError", "message": message, "exit_code": code or 0}
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"SIG{-code}"
    message = f"The script was terminated by signal {name} before '{entrypoint}' returned."
    if name == "SIGKILL":
        message = "The script was killed by SIGKILL, most likely because memory ran out."
    return {"name": "ExitError", "message": message, "signal": name}


def _memory_limit_kb():
    """Returns the memory limit of a script in KB, or None. `SVC_MEMORY_LIMIT_MB` overrides the limit from the function's size."""
    limit = os.environ.get("SVC_MEMORY_LIMIT_MB", "")
    size = os.environ.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "")
    if limit.isdigit():
        return int(limit) * 1024
    return max(int(size) - _HEADROOM_MB, 32) * 1024 if size.isdigit() else None
