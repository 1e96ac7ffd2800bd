"""Files in the workspace's object storage."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from typing import Any, TypedDict, Union
from urllib.parse import quote

from ._connection import TIMEOUT_S, ApiError, call, call_for_value, job_variable, workspace_url

_LARGEST_BODY = 4 * 1024 * 1024
"""The maximum size of a request body; larger files are sent directly to the storage."""


class _Key(TypedDict):
    s3: str


class S3Object(_Key, total=False):
    """A reference to a file, as in arguments and results: its key `s3`, and `storage` if it is not in the workspace's default one."""

    storage: str
    filename: str
    presigned: str


S3ObjectLike = Union[S3Object, str]
"""A file, or its short form `s3://<storage>/<key>` (`s3:///<key>` in the default storage)."""


def _as_object(file: S3ObjectLike) -> S3Object:
    if not isinstance(file, str):
        return file
    parts = re.fullmatch(r"s3://([^/]*)/(.+)", file)
    if not parts:
        raise ValueError(f'"{file}" is not a file: write s3://<storage>/<key>, or s3:///<key>.')
    return {"s3": parts[2], "storage": parts[1]} if parts[1] else {"s3": parts[2]}


def _query_for(file: S3ObjectLike, s3_resource_path: str | None) -> dict[str, str | None]:
    resource = s3_resource_path.removeprefix("$res:") if s3_resource_path else None
    named = _as_object(file)
    return {"file_key": named["s3"], "storage": named.get("storage"), "s3_resource_path": resource}


def load_s3_file(file: S3ObjectLike, s3_resource_path: str | None = None) -> bytes:
    """Returns the content of a file; `s3_resource_path` is the resource of a storage other than the workspace's own.

    Raises `ApiError` with status 404 if the file does not exist.
    """
    return call("GET", "job_helpers/download_s3_file", query=_query_for(file, s3_resource_path))[0]


def write_s3_file(
    file: S3ObjectLike | None,
    content: str | bytes,
    s3_resource_path: str | None = None,
    content_type: str | None = None,
    content_disposition: str | None = None,
) -> S3Object:
    """Writes a file and returns its location. An existing file at `file` is replaced. Without `file`, the service chooses a key.

    `content_type` and `content_disposition` are headers of downloads.
    """
    query: dict[str, Any] = {"s3_resource_path": s3_resource_path.removeprefix("$res:") if s3_resource_path else None}
    if file is not None:
        query.update(_query_for(file, s3_resource_path))
    storage = query.get("storage")
    text = isinstance(content, str)
    data = content.encode() if isinstance(content, str) else bytes(content)
    if len(data) > _LARGEST_BODY:
        key = _write_large_file(query, data, content_type, content_disposition)
    else:
        query.update(content_type=content_type, content_disposition=content_disposition)
        sent_as = "text/plain" if text else "application/octet-stream"
        key = call_for_value("POST", "job_helpers/upload_s3_file", query=query, content=data, content_type=sent_as)["file_key"]
    written: S3Object = {"s3": key}
    if storage:
        written["storage"] = storage
    return written


def _write_large_file(target: dict[str, Any], data: bytes, content_type: str | None, content_disposition: str | None) -> str:
    place = call_for_value("POST", "job_helpers/presign_upload", body={name: value for name, value in target.items() if value})
    headers = {"Content-Type": content_type or "application/octet-stream"}
    if content_disposition:
        headers["Content-Disposition"] = content_disposition
    try:
        with urllib.request.urlopen(urllib.request.Request(place["url"], data=data, headers=headers, method="PUT"), timeout=TIMEOUT_S):
            return place["file_key"]
    except urllib.error.HTTPError as refused:
        refused.close()
        raise ApiError(refused.code, "", f"The file could not be stored: its storage answered {refused.code}.") from None


def delete_s3_file(file: S3ObjectLike, s3_resource_path: str | None = None) -> None:
    """Deletes a file."""
    call("DELETE", "job_helpers/delete_s3_file", query=_query_for(file, s3_resource_path))


def sign_s3_objects(files: list[S3ObjectLike]) -> list[S3Object]:
    """Adds `presigned` to files, which makes them readable without a token for a day."""
    return call_for_value("POST", "apps/sign_s3_objects", body={"s3_objects": [_as_object(file) for file in files]})


def sign_s3_object(file: S3ObjectLike) -> S3Object:
    """Signs one file, as `sign_s3_objects` does."""
    return sign_s3_objects([file])[0]


def get_presigned_s3_public_urls(files: list[S3ObjectLike], base_url: str | None = None) -> list[str]:
    """Returns URLs that serve files without a token. Each is valid for a day or, if its file has `presigned`, as long as that.

    `base_url` is the service's public origin, `WM_BASE_URL` by default.
    """
    given = [_as_object(file) for file in files]
    unsigned = [file for file in given if not file.get("presigned")]
    signed = iter(sign_s3_objects(list(unsigned)) if unsigned else [])
    base = workspace_url(base_url or job_variable("BASE_URL"))
    urls = []
    for file in given:
        shown = file if file.get("presigned") else next(signed)
        urls.append(f"{base}/s3_proxy/{shown.get('storage') or '_default_'}/{quote(shown['s3'], safe='/')}?{shown['presigned']}")
    return urls


def get_presigned_s3_public_url(file: S3ObjectLike, base_url: str | None = None) -> str:
    """Returns the URL of one file, as `get_presigned_s3_public_urls` does."""
    return get_presigned_s3_public_urls([file], base_url)[0]
