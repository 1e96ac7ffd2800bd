"""Functions that run scripts, and functions for the job that runs this code."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, TypedDict

from ._connection import ApiError, call, call_for_value, job_variable, own_job, path_part

_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 0.5
_TRIES = 5
"""The number of consecutive polls that may fail for a temporary reason."""


class JobFailure(TypedDict, total=False):
    """The error of a failed job."""

    name: str
    message: str
    stack: str


class MaybeResult(TypedDict, total=False):
    """`result` is valid once `completed` is true; a failed job has `{"error": {"name", "message", "stack"}}`."""

    completed: bool
    result: Any
    success: bool
    started: bool


class JobError(Exception):
    """Raised while waiting for a job that fails or is canceled. `job_id` and `error` identify the job and the reason."""

    def __init__(self, job_id: str, error: JobFailure) -> None:
        super().__init__(f"Job {job_id} failed: {error.get('name')}: {error.get('message')}")
        self.job_id = job_id
        self.error = error


def run_script(
    path: str | None = None,
    hash_: str | None = None,
    args: Mapping[str, Any] | None = None,
    verbose: bool = False,
    tag: str | None = None,
    timeout: float | None = None,
) -> Any:
    """Runs a script and waits for its result. One of `path` and `hash_` names it; `verbose` prints the id of the job to the log.

    Raises `JobError` if the script fails, `ApiError` if it cannot be run, and `TimeoutError` if it has not ended after
    `timeout` seconds (default: no limit); the job is then canceled.
    """
    if (path is None) == (hash_ is None):
        raise TypeError("run_script needs either the path or the hash of a script.")
    target = f"p/{path_part(path)}" if path is not None else f"h/{path_part(hash_ or '')}"
    job_id = _start(target, args, {"tag": tag})
    if verbose:
        print(f"Running {path or hash_} as job {job_id}.", flush=True)
    try:
        return wait_job(job_id, timeout)
    except TimeoutError:
        if timeout is not None:
            cancel_job(job_id, f"It took longer than the {timeout} s that its caller waits.")
        raise


def run_script_by_path(path: str, args: Mapping[str, Any] | None = None, verbose: bool = False, tag: str | None = None, timeout: float | None = None) -> Any:
    """Runs the newest version of a script and waits for its result. Raises like `run_script`."""
    return run_script(path, None, args, verbose, tag, timeout)


def run_script_by_hash(hash_: str, args: Mapping[str, Any] | None = None, verbose: bool = False, tag: str | None = None, timeout: float | None = None) -> Any:
    """Runs one version of a script, named by its 16 hex digits, and waits for its result. Raises like `run_script`."""
    return run_script(None, hash_, args, verbose, tag, timeout)


def run_script_by_path_async(
    path: str, args: Mapping[str, Any] | None = None, scheduled_in_secs: int | None = None, tag: str | None = None
) -> str:
    """Runs the newest version of a script without waiting for it, and returns the job's id. Raises `ApiError` if it cannot be run."""
    return _start(f"p/{path_part(path)}", args, {"scheduled_in_secs": scheduled_in_secs, "tag": tag})


def run_script_by_hash_async(
    hash_: str, args: Mapping[str, Any] | None = None, scheduled_in_secs: int | None = None, tag: str | None = None
) -> str:
    """Runs one version of a script without waiting for it. Returns and raises like `run_script_by_path_async`."""
    return _start(f"h/{path_part(hash_)}", args, {"scheduled_in_secs": scheduled_in_secs, "tag": tag})


def _start(target: str, args: Mapping[str, Any] | None, query: dict[str, str | int | None]) -> str:
    # A run that a job starts is its child.
    lineage = {"parent_job": job_variable("JOB_ID"), "root_job": job_variable("ROOT_FLOW_JOB_ID")}
    body, _ = call("POST", f"jobs/run/{target}", query={**lineage, **query}, body=dict(args or {}))
    return body.decode()


def wait_job(job_id: str, timeout: float | None = None) -> Any:
    """Waits for a job to end and returns its result. Polls after 50 ms, then at growing intervals up to 500 ms.

    Raises `JobError` if the job failed or was canceled, `TimeoutError` if it has not ended after `timeout` seconds.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    pause = _FIRST_PAUSE_S
    failures = 0
    while True:
        try:
            answer = get_result_maybe(job_id)
            failures = 0
        except (ApiError, OSError) as error:
            failures += 1
            if not _is_temporary(error) or failures >= _TRIES:
                raise
        else:
            if answer["completed"]:
                if answer.get("success") is False:
                    raise JobError(job_id, answer["result"]["error"])
                return answer["result"]
        if deadline is not None and time.monotonic() + pause > deadline:
            raise TimeoutError(f"Job {job_id} has not ended after {timeout} s.")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _is_temporary(error: ApiError | OSError) -> bool:
    """Returns whether an error is temporary: no connection, too many calls, or a service that is briefly unavailable."""
    return not isinstance(error, ApiError) or error.status == 429 or error.status >= 500


def get_result(job_id: str) -> Any:
    """Returns the result of a completed job; a failed one has `{"error": {"name", "message", "stack"}}`.

    Raises `ApiError` with status 404 while it has not ended.
    """
    return call_for_value("GET", f"jobs_u/completed/get_result/{path_part(job_id)}")


def get_result_maybe(job_id: str) -> MaybeResult:
    """Returns whether a job has ended and, if it has, its result."""
    answer: MaybeResult = call_for_value("GET", f"jobs_u/completed/get_result_maybe/{path_part(job_id)}")
    return answer


def cancel_job(job_id: str, reason: str | None = None) -> str:
    """Cancels a job: a queued job immediately, a running job within seconds. Returns the confirmation of the service."""
    body, _ = call("POST", f"jobs_u/queue/cancel/{path_part(job_id)}", body={"reason": reason} if reason else {})
    return body.decode()


def get_root_job_id(job_id: str | None = None) -> str:
    """Returns the outermost parent of a job, or the job itself if it has none. Default: the job that runs this code."""
    return str(call_for_value("GET", f"jobs_u/get_root_job_id/{path_part(job_id or own_job())}"))


def set_progress(percent: float, job_id: str | None = None) -> None:
    """Sets the progress of a job. Progress never decreases. Default: the job that runs this code.

    `percent` goes from 0 to 99: what is above is sent as 99, since the end itself is the 100.
    """
    flow_job: Any = job_variable("FLOW_JOB_ID")
    if job_id:
        flow_job = call_for_value("GET", f"jobs_u/get/{path_part(job_id)}", query={"no_logs": True}).get("parent_job")
    body: dict[str, Any] = {"percent": max(0, min(99, int(percent)))}
    if flow_job:
        body["flow_job_id"] = flow_job
    call("POST", f"job_metrics/set_progress/{path_part(job_id or own_job())}", body=body)


def get_progress(job_id: str | None = None) -> int | None:
    """Returns the progress of a job in percent, or `None` if it has not reported any. Default: the job that runs this code."""
    percent = call_for_value("GET", f"job_metrics/get_progress/{path_part(job_id or own_job())}")
    return percent if isinstance(percent, int) else None
