"""Keeps the process of a function alive after the handler has thrown an error, and while it is in use although its function is updated, as AWS does.

The engine kills it, so that each failed step of a flow costs a start. On AWS too, a function is responsible for its state after an error:
only a process that ends or does not answer in time is replaced. A run that is killed by an update of the stack would be repeated only after its
lease or the visibility timeout of its message, and a schedule would not tick until then.

Needed until the engine retains such a process. MiniStack's pull request 1012 made it end the process; issue 1358 was the same fault of
functions in containers.
Test: engine/engine/checks/function_processes.py
"""

import threading
import time

HANDLER_ERROR = 'status: "error", error: String(err.message || err), trace: err.stack || ""'
# The engine treats this as a result, and `invoke` converts it to the error.
KEPT = 'status: "ok", thrown: { error: String(err.message || err), trace: err.stack || "" }'
PAUSE_S = 0.05


def keep_processes(lambda_runtime):
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    if script.count(HANDLER_ERROR) != 1:
        raise RuntimeError("The engine's script for processes of Node.js has changed.")
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(HANDLER_ERROR, KEPT)
    invoke = lambda_runtime.Worker.invoke

    def invoke_and_keep(*args, **options):
        response = invoke(*args, **options)
        thrown = response.pop("thrown", None)
        return {**response, "status": "error", **thrown} if thrown else response

    lambda_runtime.Worker.invoke = invoke_and_keep


def finish_invocations(lambda_runtime, lambda_svc):
    invalidate = lambda_runtime.invalidate_worker

    def end_after_invocation(worker):
        # An invocation whose process has failed does not release it.
        deadline = time.monotonic() + worker.config.get("Timeout", 900)
        while worker.in_use and time.monotonic() < deadline:
            time.sleep(PAUSE_S)
        lambda_runtime.kill_workers([worker])

    def invalidate_idle(func_name, qualifier=None, account=None, region=None):
        with lambda_runtime._lock:
            pools = [
                workers
                for key, workers in lambda_runtime._workers.items()
                if key.split(":")[-2] == func_name and qualifier in (None, key.split(":")[-1])
            ]
            busy = [worker for workers in pools for worker in workers if worker.in_use]
            for workers in pools:
                workers[:] = [worker for worker in workers if not worker.in_use]
        for worker in busy:
            threading.Thread(target=end_after_invocation, args=(worker,), daemon=True).start()
        invalidate(func_name, qualifier=qualifier, account=account, region=region)

    lambda_runtime.invalidate_worker = lambda_svc.invalidate_worker = invalidate_idle
