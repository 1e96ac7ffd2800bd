"""Passes the path of a request to a REST API as the caller sent it, as API Gateway and LocalStack do.

The engine decodes it, so that the functions, which decode each parameter once, would decode a second time.

Needed until the engine passes paths to REST APIs as they were sent. No issue of MiniStack asks for it. Issue 1035 was the same fault of
query strings.
Test: engine/engine/checks/effects.py
"""


def pass_raw_paths(app):
    handle = app._handle_execute_api_request

    async def handle_raw(host, path, *request, raw_path=None, **options):
        return await handle(host, raw_path or path, *request, raw_path=raw_path, **options)

    app._handle_execute_api_request = handle_raw
