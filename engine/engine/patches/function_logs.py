"""Reads the output of a function without a pause after its last line.

The engine waits 5 ms after each call for another line. Every function of this service prints its line before it answers. A later line
becomes part of the log of the next call, so on a busy machine the first line is awaited for longer than in the engine.

Needed until the pause of the engine is configurable. No issue of MiniStack asks for it.
Test: engine/engine/checks/effects.py
"""

import queue


def drain_log(self, first_line_wait=0.250, next_line_wait=0.001):
    lines = []
    try:
        lines.append(self._stderr_queue.get(timeout=first_line_wait))
        while True:
            lines.append(self._stderr_queue.get(timeout=next_line_wait))
    except queue.Empty:
        return "\n".join(lines)


def read_logs_at_once(lambda_runtime):
    lambda_runtime.Worker._drain_stderr_bounded = drain_log
