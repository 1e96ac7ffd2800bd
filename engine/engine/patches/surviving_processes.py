"""Keeps the process of a function alive after the handler has thrown an error, as AWS does.

The engine kills it, so that each failed step of a flow costs a start. On AWS too, a function is responsible for its state after an error:
only a process that ends or does not answer in time is replaced.

Needed until the engine retains such a process. MiniStack's pull request 1012 made it end the process; issue 1358 was the same fault of
functions in containers.
Test: engine/engine/checks/function_processes.py
"""

HANDLER_ERROR = 'status: "error", error: String(err.message || err), trace: err.stack || ""'
# The engine treats this as a result, and `invoke` converts it to the error.
KEPT = 'status: "ok", thrown: { error: String(err.message || err), trace: err.stack || "" }'


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
