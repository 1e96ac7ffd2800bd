"""Runs MiniStack as a child that ends with its parent.

Standard input is a pipe whose other end only the parent holds. It contains one line: the key of the front server, which the environment
would show to the user code of functions. When the parent ends, however it ends, the pipe closes and the engine stops itself the clean way,
with its state saved. SIGUSR1 saves the state without a stop, so that a power cut after a deployment does not cost the deployment.

Each file of patches/ states its reason, what will make it unnecessary, and its test.
"""

import os
import signal
import sys
import threading


def stop_with_parent():
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main():
    import uvloop
    from ministack import app
    from ministack.core import lambda_runtime
    from ministack.services import lambda_svc, stepfunctions
    from patches.bounded_records import bound_records
    from patches.expiry import apply_expiry
    from patches.function_logs import read_logs_at_once
    from patches.function_roles import enforce_roles
    from patches.idle_processes import end_idle_processes
    from patches.map_width import take_width_from_input
    from patches.packed_items import pack_items
    from patches.process_starts import limit_starts
    from patches.quick_expressions import keep_expressions
    from patches.quick_requests import serve_with_uvicorn
    from patches.raw_paths import pass_raw_paths
    from patches.released_memory import release_memory
    from patches.shared_code import share_code
    from patches.stream_positions import begin_streams_at_zero
    from patches.surviving_processes import finish_invocations, keep_processes
    from patches.web_pages import refuse_web_pages

    app.app = refuse_web_pages(apply_expiry(app.app), sys.stdin.readline().strip())
    # Only the owner may read state and code.
    os.umask(0o077)
    read_logs_at_once(lambda_runtime)
    share_code(lambda_runtime)
    limit_starts(lambda_runtime, lambda_svc)
    keep_processes(lambda_runtime)
    end_idle_processes(lambda_runtime, lambda_svc)
    finish_invocations(lambda_runtime, lambda_svc)
    begin_streams_at_zero(lambda_svc)
    pass_raw_paths(app)
    take_width_from_input(stepfunctions)
    pack_items()
    keep_expressions()
    bound_records()
    enforce_roles()
    uvloop.install()
    serve_with_uvicorn()

    def save(*_):
        app.save_all(app._build_persistence_save_dict())
        release_memory()
        # The parent waits for this file, because a signal has no reply.
        open(os.path.join(os.environ["STATE_DIR"], "saved"), "w").close()

    signal.signal(signal.SIGUSR1, save)
    threading.Thread(target=stop_with_parent, daemon=True).start()
    app.main()


main()
