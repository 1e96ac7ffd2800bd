"""Also ends the last process of a function that is rarely called, as AWS does.

The engine keeps one process of each function, of 30 to 60 MB, also of those that run once after a deployment. A function that is called
more often keeps its process, so that its calls stay quick.

Needed until the engine ends the last idle process of a function too. No issue of MiniStack asks for it.
Test: engine/engine/checks/function_processes.py
"""

import time

FEW_CALLS = 10


def end_idle_processes(lambda_runtime, lambda_svc):
    reap, invoke = lambda_runtime.reap_idle_workers, lambda_runtime.Worker.invoke

    def invoke_and_count(worker, *args, **options):
        worker.calls = getattr(worker, "calls", 0) + 1
        return invoke(worker, *args, **options)

    def reap_all(ttl=None):
        ended = reap(ttl)
        idle_since = time.time() - (lambda_runtime._LOCAL_WORKER_TTL if ttl is None else ttl)

        def is_dispensable(worker):
            return not worker.in_use and worker.last_used <= idle_since and getattr(worker, "calls", 0) < FEW_CALLS

        with lambda_runtime._lock:
            rare = [key for key, workers in lambda_runtime._workers.items() if all(map(is_dispensable, workers))]
            workers = [worker for key in rare for worker in lambda_runtime._workers.pop(key)]
        lambda_runtime.kill_workers(workers)
        return ended + len(workers)

    lambda_runtime.Worker.invoke = invoke_and_count
    lambda_svc.reap_idle_workers = reap_all
