"""The URL and token of the service, and the calls to it."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

TIMEOUT_S = 60
_chosen: dict[str, str] = {}


class ApiError(Exception):
    """The error response of the service. A call that never reached it raises `urllib.error.URLError` or another `OSError`.

    `status` is the HTTP status, `code` the error code, such as `script.notFound` (empty if the response has none);
    the message is its error sentence.
    """

    def __init__(self, status: int, code: str, sentence: str) -> None:
        super().__init__(sentence or f"The service returned status {status}.")
        self.status = status
        self.code = code


def set_client(token: str | None = None, base_url: str | None = None, workspace: str | None = None) -> None:
    """Replaces the URL and the token of the environment. Without arguments, those of the environment are used again.

    A script that svc runs does not need it. `token` stands for `WM_TOKEN` (or `OV_TOKEN`), `base_url`, the service's origin, for
    `BASE_INTERNAL_URL` (or `BASE_URL`, or `http://localhost:8000`), `workspace` for `WM_WORKSPACE` (or `OV_WORKSPACE`).
    """
    _chosen.clear()
    given = {"token": token, "base_url": base_url, "workspace": workspace}
    _chosen.update({name: value for name, value in given.items() if value})


def job_variable(name: str) -> str:
    """Returns a variable of the job, in either of its spellings; empty if it is missing. Jobs may share a process, so each call reads it."""
    return os.environ.get(f"WM_{name}") or os.environ.get(f"OV_{name}") or ""


def own_job() -> str:
    """Returns the id of the job that runs this code."""
    job_id = job_variable("JOB_ID")
    if not job_id:
        raise RuntimeError("This does not run in a job (WM_JOB_ID is not set): name the job.")
    return job_id


def mocked(kind: str, path: str) -> tuple[Any] | None:
    """Returns the value of a path in the file `WM_MOCKED_API_FILE`, for runs on a developer's machine."""
    file = os.environ.get("WM_MOCKED_API_FILE")
    if not file:
        return None
    with open(file, encoding="utf-8") as text:
        values = json.load(text).get(kind, {})
    return (values[path],) if path in values else None


def _service_url(publicly: str = "") -> str:
    """Returns the origin of the service; `publicly` selects that for URLs that users receive."""
    base = publicly or _chosen.get("base_url") or os.environ.get("BASE_INTERNAL_URL") or os.environ.get("BASE_URL") or "http://localhost:8000"
    return base.rstrip("/")


def workspace_url(publicly: str = "") -> str:
    """Returns the base URL of the workspace's routes; `publicly` selects the origin for URLs that users receive."""
    workspace = _chosen.get("workspace") or job_variable("WORKSPACE") or "no_workspace"
    return f"{_service_url(publicly)}/api/w/{quote(workspace, safe='')}"


def call(
    method: str,
    route: str,
    *,
    query: Mapping[str, str | int | bool | None] | None = None,
    body: Any = None,
    content: bytes | None = None,
    content_type: str = "application/json",
) -> tuple[bytes, str]:
    """Calls a route of the workspace, or one of the service if it begins with a slash, and returns the body and content type of the response.

    `body` is sent as JSON, `content` unchanged.
    """
    token = _chosen.get("token") or job_variable("TOKEN")
    url = f"{_service_url()}{route}" if route.startswith("/") else f"{workspace_url()}/{route}"
    # Values that are None or empty are omitted.
    asked = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in (query or {}).items() if value not in (None, "")}
    if asked:
        url += "?" + urlencode(asked)
    data = content if body is None else json.dumps(body, allow_nan=False).encode()
    # A gateway may return bytes as base64 text unless the request accepts bytes.
    headers = {"Accept": "*/*"}
    if data is not None:
        headers["Content-Type"] = content_type
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    if token:
        # The response for a large file is a redirect to its storage, which must not receive the token.
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            return response.read(), response.headers.get("Content-Type") or ""
    except urllib.error.HTTPError as refused:
        with refused:
            sentence = refused.read().decode(errors="replace")
            raise ApiError(refused.code, refused.headers.get("x-svc-error") or "", sentence) from None


def call_for_value(method: str, route: str, **asked: Any) -> Any:
    """Returns the value of a JSON body; any other body is text."""
    body, content_type = call(method, route, **asked)
    return json.loads(body) if "json" in content_type and body else body.decode()


def path_part(path: str) -> str:
    """Encodes a path for a URL and preserves its slashes. Rejects a path that would match another route."""
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError(f'"{path}" is not a path in a workspace.')
    return quote(path, safe="/:@$&+,;=!'()*~")
