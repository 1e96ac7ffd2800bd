"""Passes requests for DynamoDB directly to its handler.

The engine asks of each request whether it belongs to one of its hundred services and pages, which takes as long as most DynamoDB requests
themselves, and most requests are for DynamoDB.
"""

import logging
import os
import time
from email.utils import formatdate

from ministack import app
from ministack.core.responses import (
    fix_error_content_type,
    fix_success_content_type,
    set_request_account_id,
    set_request_region,
)
from ministack.core.router import extract_access_key_id, extract_region

logger = logging.getLogger("ministack")

TARGET = "DynamoDB_20120810."


def is_quick(scope, headers):
    """Whether a request is an ordinary one of an AWS client for DynamoDB. A presigned one and a compressed one take the engine's own way."""
    return (
        headers.get("x-amz-target", "").startswith(TARGET)
        and scope["type"] == "http"
        and scope["method"] == "POST"
        and scope["path"] == "/"
        and not scope.get("query_string")
        and "content-encoding" not in headers
        and headers.get("authorization", "").startswith("AWS4-HMAC")
        and not app.AUTH
    )


class Dates:
    """The header `date`, which is the same within a second."""

    second = 0
    value = b""

    @classmethod
    def now(cls):
        second = int(time.time())
        if second != cls.second:
            cls.second, cls.value = second, formatdate(second, usegmt=True).encode("ascii")
        return cls.value


async def read_body(receive):
    chunks = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        chunks.append(message.get("body", b""))
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def answer_dynamodb(headers, receive, send):
    """Answers as the engine does, without the headers for web pages, which it refuses."""
    set_request_account_id(extract_access_key_id(headers))
    set_request_region(extract_region(headers))
    body = await read_body(receive)
    if body is None:
        return
    try:
        status, sent, content = await app.SERVICE_HANDLERS["dynamodb"]("POST", "/", headers, body, {})
    except Exception as error:
        logger.exception("Error handling dynamodb request: %s", error)
        status, sent, content = 500, {"Content-Type": "application/x-amz-json-1.0"}, b'{"__type":"InternalServerError"}'
    fix_error_content_type("dynamodb", status, sent)
    fix_success_content_type("dynamodb", status, sent)
    content = content if isinstance(content, bytes) else content.encode()
    lines = [(name.encode("latin-1"), str(value).encode("latin-1")) for name, value in sent.items()]
    lines += [(b"content-length", b"%d" % len(content)), (b"date", Dates.now()), (b"x-amzn-requestid", os.urandom(16).hex().encode())]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": content, "more_body": False})
