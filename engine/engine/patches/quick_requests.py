"""Answers requests for DynamoDB in the HTTP protocol, and sends each response in one packet.

The engine checks each request against its hundred services and pages, which takes as long as most DynamoDB requests themselves, and most
requests are for DynamoDB. A task for each request and a packet for each part of a response cost as much again, and also slow down the
client.

Needed until the engine selects the handler of a request before it asks all services, and joins the parts of a response. No issue of
MiniStack asks for it.
Test: engine/engine/checks/effects.py
"""

import contextvars
import logging
import os
import time
from email.utils import formatdate

import hypercorn.asyncio
import uvicorn
from ministack import app
from ministack.core.responses import (
    fix_error_content_type,
    fix_success_content_type,
    set_request_account_id,
    set_request_region,
)
from ministack.core.router import extract_access_key_id, extract_region
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from patches.web_pages import is_from_program

logger = logging.getLogger("ministack")

TARGET = b"DynamoDB_20120810."
# A larger part of a response is a separate packet, so that the transport can pause its sender.
LARGE = 64 * 1024


class Dates:
    """The header `date`, which is the same within a second."""

    second = 0
    value = ""

    @classmethod
    def now(cls):
        second = int(time.time())
        if second != cls.second:
            cls.second, cls.value = second, formatdate(second, usegmt=True)
        return cls.value


def result_of(coroutine):
    """The result of a coroutine that never waits: the handler of DynamoDB works in memory."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise RuntimeError("The handler waits.")


def answer_dynamodb(headers, body):
    """Answers as the engine does, without the headers for web pages, which it refuses."""
    set_request_account_id(extract_access_key_id(headers))
    set_request_region(extract_region(headers))
    try:
        status, sent, content = result_of(app.SERVICE_HANDLERS["dynamodb"]("POST", "/", headers, body, {}))
    except Exception as error:
        logger.exception("Error handling dynamodb request: %s", error)
        status, sent, content = 500, {"Content-Type": "application/x-amz-json-1.0"}, b'{"__type":"InternalServerError"}'
    fix_error_content_type("dynamodb", status, sent)
    fix_success_content_type("dynamodb", status, sent)
    content = content if isinstance(content, bytes) else content.encode()
    sent = {**sent, "content-length": len(content), "date": Dates.now(), "x-amzn-requestid": os.urandom(16).hex()}
    lines = "".join([f"{name}: {value}\r\n" for name, value in sent.items()])
    return b"".join([STATUS_LINE[status], lines.encode("latin-1"), b"\r\n", content])


class JoinedWrites:
    """A transport that sends what is written within one step of the event loop in one packet."""

    def __init__(self, transport, loop):
        self.transport = transport
        self.loop = loop
        self.parts = []

    def write(self, data):
        if not self.parts:
            self.loop.call_soon(self.flush)
        self.parts.append(data)
        if len(data) > LARGE:
            self.flush()

    def flush(self):
        parts, self.parts = self.parts, []
        # The caller may have disconnected in the same step.
        if parts and not self.transport.is_closing():
            self.transport.write(b"".join(parts))

    def close(self):
        self.flush()
        self.transport.close()

    def __getattr__(self, name):
        return getattr(self.transport, name)


class QuickProtocol(HttpToolsProtocol):
    """The protocol of the server, which passes all but ordinary requests for DynamoDB to the application."""

    # The headers of the current request and the parts of its body, if this class answers it.
    quick = None

    def connection_made(self, transport):
        super().connection_made(transport)
        self.transport = JoinedWrites(transport, self.loop)

    def quick_headers(self):
        """The headers of an ordinary request of an AWS client for DynamoDB. The engine's own server handles presigned and compressed ones."""
        if not any(name == b"x-amz-target" and value.startswith(TARGET) for name, value in self.headers):
            return None
        headers = {}
        for name, value in self.headers:
            headers.setdefault(name.decode("latin1"), value.decode("latin1"))
        is_quick = (
            self.url == b"/"
            and self.parser.get_method() == b"POST"
            and self.parser.get_http_version() == "1.1"
            and self.parser.should_keep_alive()
            and not self.expect_100_continue
            and (self.cycle is None or self.cycle.response_complete)
            and "content-encoding" not in headers
            and headers.get("authorization", "").startswith("AWS4-HMAC")
            and not app.AUTH
            and is_from_program(headers)
        )
        return headers if is_quick else None

    def on_headers_complete(self):
        headers = self.quick_headers()
        if headers is None:
            super().on_headers_complete()
        else:
            self.quick = headers, []

    def on_body(self, body):
        if self.quick is None:
            super().on_body(body)
        else:
            self.quick[1].append(body)

    def on_message_complete(self):
        if self.quick is None:
            return super().on_message_complete()
        (headers, parts), self.quick = self.quick, None
        # The handler sets the account and the region of its context.
        self.transport.write(contextvars.copy_context().run(answer_dynamodb, headers, b"".join(parts)))
        self.on_response_complete()


def serve_with_uvicorn():
    """Replaces the engine's own HTTP server, which parses requests in Python: that costs more time than most requests themselves."""

    async def serve(app, config):
        host, _, port = config.bind[0].rpartition(":")
        options = uvicorn.Config(
            app,
            host=host,
            port=int(port),
            http=QuickProtocol,
            ws="none",
            # The engine sends these headers itself.
            date_header=False,
            server_header=False,
            access_log=False,
            log_level="warning",
            timeout_keep_alive=int(config.keep_alive_timeout),
            timeout_graceful_shutdown=int(config.graceful_timeout),
        )
        await uvicorn.Server(options).serve()

    hypercorn.asyncio.serve = serve
