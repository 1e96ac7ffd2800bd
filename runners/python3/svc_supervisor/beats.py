"""Beats of a running job: they carry output, renew the lease, and return whether the job must stop."""

import os
import threading
import time

from . import net

_FIRST_AFTER_S = 1.0
WATCHED_EVERY_S = 0.2
OUTPUT_EVERY_S = 5.0
OUTPUT_UNITS = 64 * 1024
LOST_AFTER_S = float(os.environ.get("SVC_TEST_LOST_AFTER_S") or 40)
"""After this time without an acknowledgement, and if no executor renews the lease, the attempt counts as lost: another attempt may take the lease."""
MAX_CHUNK_CHARS = 128 * 1024
MAX_RETURNED_UNITS = 256 * 1024
_TICK_S = 0.1


def first_after_s(request):
    """Returns the delay of the first beat. A job that ends sooner sends none, unless it is watched from the start."""
    return 0.0 if request.get("watched") else _FIRST_AFTER_S


class Beats:
    """One thread per run. `verdict` becomes `(outcome, reason)` when the run must end, and `wake` becomes readable."""

    def __init__(self, request, log, memory_kb, started):
        self.verdict = None
        self.lost = False
        self.wake, self._wake_writer = os.pipe()
        self._request = request
        self._log = log
        self._memory_kb = memory_kb
        self._started = started
        self._acknowledged = started
        self._executor_waits_until = started + request.get("executorWaitsMs", 0) / 1000
        self._last = self._last_output = float("-inf")
        self._watched = bool(request.get("watched"))
        self._ending = threading.Event()
        self._connection = net.JsonConnection(request["internalUrl"], request["token"])
        self._thread = threading.Thread(target=self._loop, name="beats", daemon=True)

    def start(self):
        self._thread.start()

    def flush(self):
        """After the run: sends output until the rest fits the outcome, or the service cannot be reached."""
        self._end()
        while self._log.units > MAX_RETURNED_UNITS and self.verdict is None:
            if not self._beat(with_output=True):
                return

    def close(self):
        self._end()
        self._connection.close()
        os.close(self.wake)
        os.close(self._wake_writer)

    def _end(self):
        if not self._ending.is_set():
            self._ending.set()
            if self._thread.ident:
                self._thread.join(2)
            if self._thread.is_alive():
                # The thread is blocked in a call. Its output is not acknowledged, so it is sent again with the same offset.
                self._connection.close()
                self._connection = net.JsonConnection(self._request["internalUrl"], self._request["token"], timeout_s=3)

    def _loop(self):
        pause = 0.001
        while not self._ending.wait(pause):
            now = time.monotonic()
            if now - self._acknowledged > LOST_AFTER_S and now > self._executor_waits_until:
                self.lost = True
                self._stop_run(f"No heartbeat was acknowledged for {LOST_AFTER_S:.0f} s, so this attempt was stopped. Another attempt may follow.")
                return
            with_output = self._output_is_due(now)
            if with_output or now - max(self._last, self._started - 1) >= (2 if now - self._started < 60 else 5):
                pause = _TICK_S if self._beat(with_output) else min(max(0.2, pause * 2), 2)
            if self.verdict:
                return

    def _output_is_due(self, now):
        if self._log.units == 0 or now - self._last < WATCHED_EVERY_S:
            return False
        return self._watched or self._log.units >= OUTPUT_UNITS or now - self._last_output >= OUTPUT_EVERY_S

    def _beat(self, with_output):
        """Sends one beat; returns whether it was acknowledged."""
        request = self._request
        message = {"attempt": request["attempt"], "nonce": request["nonce"]}
        logs = self._log.peek(MAX_CHUNK_CHARS) if with_output else None
        if logs:
            message["logs"] = logs
        memory = self._memory_kb()
        if memory:
            message["memPeakKb"] = memory
        connection = self._connection
        try:
            status, answer = connection.post(f"/api/internal/jobs/{request['job']}/beat", message)
        except net.Unreachable:
            return False
        except Exception:
            # The run ended during this call and closed its connection.
            if connection is self._connection:
                raise
        if connection is not self._connection:
            return False
        if status in (401, 409):
            self._stop_run("This attempt of the job is no longer valid.")
            return False
        if status != 200 or not isinstance(answer, dict):
            return False
        self._acknowledged = self._last = time.monotonic()
        if logs:
            self._log.acknowledge(logs)
            self._last_output = self._last
        self._watched = bool(answer.get("watched"))
        if answer.get("go") == "stop":
            self._stop_run(answer.get("reason") or "The job was canceled.")
        return True

    def _stop_run(self, reason):
        if self.verdict is None:
            self.verdict = ("killed", {"name": "CanceledError", "message": reason})
            if not self._ending.is_set():
                os.write(self._wake_writer, b"x")


def report(request, outcome, attempts=3):
    """Reports the outcome of a long run, whose caller may have stopped waiting. Best effort: the outcome is also returned."""
    connection = net.JsonConnection(request["internalUrl"], request["token"])
    message = {"attempt": request["attempt"], "nonce": request["nonce"], "outcome": outcome}
    try:
        for attempt in range(attempts):
            try:
                status, _ = connection.post(f"/api/internal/jobs/{request['job']}/report", message)
                if status < 500 and status != 429:
                    return
            except net.Unreachable:
                pass
            if attempt + 1 < attempts:
                time.sleep(0.3 * (attempt + 1))
    finally:
        connection.close()
