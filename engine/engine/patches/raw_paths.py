"""Passes the path of a request to a REST API as the caller sent it, as API Gateway and LocalStack do.

The engine decodes it, so that the functions, which decode each parameter once, would decode a second time.
"""


def pass_raw_paths(app):
    handle = app._handle_execute_api_request

    async def handle_raw(host, path, *request, raw_path=None, **options):
        return await handle(host, raw_path or path, *request, raw_path=raw_path, **options)

    app._handle_execute_api_request = handle_raw
