"""Runs MiniStack as a child that ends with its parent.

Standard input is a pipe whose other end only the parent holds. It contains one line: the key of the front server, which the environment
would show to the user code of functions. When the parent ends, however it ends, the pipe closes and the engine stops itself the clean way,
with its state saved. SIGUSR1 saves the state without a stop, so
that a power cut after a deployment does not cost the deployment.
"""

import ctypes
import gc
import os
import queue
import signal
import sys
import threading


def stop_with_parent():
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def drain_log(self, first_line_wait=0.250, next_line_wait=0.001):
    """What a function has printed: every one of ours prints its line before it answers.

    The engine's own way looks every millisecond and adds 5 ms to each call, in case that another line comes. A line that comes later
    than this stands in the log of the next call, so on a busy machine the first one is waited for.
    """
    lines = []
    try:
        lines.append(self._stderr_queue.get(timeout=first_line_wait))
        while True:
            lines.append(self._stderr_queue.get(timeout=next_line_wait))
    except queue.Empty:
        return "\n".join(lines)


def begin_streams_anew(lambda_svc):
    """The engine keeps how far each function has read a table's stream, but not the stream, which begins at 0 with every start.

    As it is, nothing would be read until as much has been written as in all the time before.
    """
    restore = lambda_svc._restore_esm_positions

    def restored(store, positions):
        restore(store, positions)
        if store is lambda_svc._dynamodb_stream_positions:
            for key in list(store._data):
                store._data[key] = 0

    lambda_svc._restore_esm_positions = restored


def release_memory():
    """Returns memory to the system that a burst of requests needed. The allocator of Linux keeps it otherwise; others have no such call."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def serve_with_uvicorn():
    """Replaces the engine's own HTTP server, which parses requests in Python: that costs more time than most requests themselves."""
    import hypercorn.asyncio
    import uvicorn
    from patches.quick_requests import QuickProtocol

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


def main():
    import uvloop
    from ministack import app
    from ministack.core import lambda_runtime
    from ministack.services import lambda_svc, stepfunctions
    from patches.bounded_records import bound_records
    from patches.expiry import apply_expiry
    from patches.function_roles import enforce_roles
    from patches.idle_processes import end_idle_processes
    from patches.map_width import take_width_from_input
    from patches.packed_items import pack_items
    from patches.process_starts import limit_starts
    from patches.raw_paths import pass_raw_paths
    from patches.shared_code import share_code
    from patches.surviving_processes import keep_processes
    from patches.web_pages import refuse_web_pages

    app.app = refuse_web_pages(apply_expiry(app.app), sys.stdin.readline().strip())
    # State and code are for their owner only.
    os.umask(0o077)
    lambda_runtime.Worker._drain_stderr_bounded = drain_log
    share_code(lambda_runtime)
    limit_starts(lambda_runtime, lambda_svc)
    keep_processes(lambda_runtime)
    end_idle_processes(lambda_runtime, lambda_svc)
    begin_streams_anew(lambda_svc)
    pass_raw_paths(app)
    take_width_from_input(stepfunctions)
    pack_items()
    bound_records()
    enforce_roles()
    uvloop.install()
    serve_with_uvicorn()

    def save(*_):
        app.save_all(app._build_persistence_save_dict())
        release_memory()
        # The parent waits for this file: a signal has no answer.
        open(os.path.join(os.environ["STATE_DIR"], "saved"), "w").close()

    signal.signal(signal.SIGUSR1, save)
    threading.Thread(target=stop_with_parent, daemon=True).start()
    app.main()


main()
