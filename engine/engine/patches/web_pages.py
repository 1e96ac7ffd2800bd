"""Refuses web pages: a page of any site can send requests to the engine's port.

Browsers send Origin or Sec-Fetch-Site with every request that a page causes. A foreign Host belongs to a page whose name was pointed at
this machine.

Needed until the engine checks the Host and the Origin of requests. No issue of MiniStack asks for it.
Test: engine/engine/checks/effects.py
"""

import hmac

LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "::1"}
KEY = "x-svc-engine-key"


def is_local(headers):
    host = headers.get("host", "").lower()
    name = host if host.endswith("]") else host.rsplit(":", 1)[0]
    return name in LOOPBACK or name.endswith(".localhost")


def is_from_page(headers):
    return "origin" in headers or headers.get("sec-fetch-site", "none") != "none"


def is_from_program(headers):
    """Whether a request comes from a program other than the front server."""
    return is_local(headers) and not is_from_page(headers) and KEY not in headers


def refuse_web_pages(app, key):
    """Answers programs, and requests of the front server, which sends the key."""

    async def guarded(scope, receive, send):
        if scope["type"] == "lifespan":
            return await app(scope, receive, send)
        headers = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin1").lower(), value.decode("latin1"))
        from_front = key != "" and hmac.compare_digest(headers.get(KEY, "").encode(), key.encode())
        if is_local(headers) and (from_front or not is_from_page(headers)):
            # Only the front server knows its callers' addresses.
            dropped = {KEY.encode()} if from_front else {KEY.encode(), b"x-forwarded-for"}
            scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0].lower() not in dropped]}
            return await app(scope, receive, send)
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain; charset=utf-8")]})
        await send({"type": "http.response.body", "body": b"The local engine does not answer web pages."})

    return guarded
