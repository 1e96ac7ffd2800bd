"""The result stream of a running job."""

from __future__ import annotations

from collections.abc import Iterable


def append_to_result_stream(text: str) -> None:
    """Adds text to the job's result stream. A caller of `run_and_stream` receives it while the job is running.

    The text is a line of the job's output, so do not print an incomplete line before it.
    """
    # A newline is written `\n`. A literal backslash before an n is split across two lines, so that readers do not take it for a newline.
    parts = (part.replace("\n", "\\n") for part in text.split("\\n"))
    print("WM_STREAM: " + "\\\nWM_STREAM: n".join(parts), flush=True)


def stream_result(stream: Iterable[str]) -> None:
    """Adds each item of an iterator to the job's result stream."""
    for text in stream:
        append_to_result_stream(text)
