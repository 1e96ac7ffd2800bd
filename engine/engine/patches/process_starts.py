"""Starts a few processes of a function at a time. Other calls wait for a process that is free or for their turn to start one.

The engine starts a process for each call that finds all others busy, at once. A start takes as much processor time as dozens of calls, so
a parallel loop with thirty steps keeps a small machine busy for seconds with processes that run one call each. Here most of these calls find
a free process before it is their turn. A call whose caller keeps a process busy is not blocked by it, because each start ends.
"""

import os
import threading

STARTS_AT_A_TIME = max(2, os.cpu_count() or 0)
# A start that takes longer does not keep the other calls waiting.
START_S = 10


def limit_starts(lambda_runtime, lambda_svc):
    acquire, release = lambda_runtime.acquire_worker, lambda_runtime.release_worker
    spawn = lambda_runtime.Worker._spawn
    changed = threading.Condition()

    def is_free_or_may_start(key):
        with lambda_runtime._lock:
            workers = lambda_runtime._workers.get(key, [])
            starting = [worker for worker in workers if worker.in_use and worker._cold]
            return len(starting) < STARTS_AT_A_TIME or any(not worker.in_use for worker in workers)

    def acquire_in_turn(func_name, config, code_zip, qualifier="$LATEST", max_concurrency=None):
        key = lambda_runtime._worker_key(func_name, config, qualifier)
        with changed:
            changed.wait_for(lambda: is_free_or_may_start(key), START_S)
            return acquire(func_name, config, code_zip, qualifier, max_concurrency)

    def release_and_notify(worker):
        release(worker)
        with changed:
            changed.notify_all()

    def spawn_and_notify(worker):
        spawn(worker)
        worker._cold = False
        with changed:
            changed.notify_all()

    lambda_svc.acquire_worker, lambda_svc.release_worker = acquire_in_turn, release_and_notify
    lambda_runtime.Worker._spawn = spawn_and_notify
