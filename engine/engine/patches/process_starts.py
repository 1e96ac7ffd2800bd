"""Starts a process of a function only for a call that finds none free for a while, and a few at a time.

The engine starts a process for each call that finds all others busy, at once. A start takes as much processor time as dozens of calls, so
a parallel loop with thirty steps keeps a small machine busy for seconds with processes that run one call each. Here most of these calls find
a free process while they wait. A call whose caller keeps a process busy is not blocked by it, because both waits end.

Needed until the engine limits starts of processes. No issue of MiniStack asks for it.
Test: engine/engine/checks/function_processes.py
"""

import os
import threading

STARTS_AT_A_TIME = max(2, os.cpu_count() or 0)
# Most calls are shorter, so a process becomes free before another one would have started.
PATIENCE_S = 0.3
# A longer start does not delay the other calls.
START_S = 10


def limit_starts(lambda_runtime, lambda_svc):
    acquire, release = lambda_runtime.acquire_worker, lambda_runtime.release_worker
    spawn = lambda_runtime.Worker._spawn
    changed = threading.Condition()

    def is_free_or_below(key, limit, is_counted):
        with lambda_runtime._lock:
            workers = lambda_runtime._workers.get(key, [])
            return any(not worker.in_use for worker in workers) or len(list(filter(is_counted, workers))) < limit

    def is_free_or_few(key):
        return is_free_or_below(key, STARTS_AT_A_TIME, lambda worker: True)

    def is_free_or_may_start(key):
        return is_free_or_below(key, STARTS_AT_A_TIME, lambda worker: worker._cold)

    def acquire_in_turn(func_name, config, code_zip, qualifier="$LATEST", max_concurrency=None):
        key = lambda_runtime._worker_key(func_name, config, qualifier)
        with changed:
            changed.wait_for(lambda: is_free_or_few(key), PATIENCE_S)
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
