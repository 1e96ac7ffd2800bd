"""Checks when the engine starts and ends processes of functions, with the engine's own modules. function-processes.test.ts runs it."""

import io
import os
import tempfile
import threading
import time
import unittest
import unittest.mock
import zipfile

# The engine reads its directories when it is imported.
os.environ.setdefault("STATE_DIR", tempfile.mkdtemp())
os.environ.setdefault("SVC_FUNCTION_CODE", tempfile.mkdtemp())

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

from patches.idle_processes import FEW_CALLS, end_idle_processes
from patches.process_starts import STARTS_AT_A_TIME, limit_starts
from patches.surviving_processes import finish_invocations, keep_processes

keep_processes(lambda_runtime)
limit_starts(lambda_runtime, lambda_svc)
end_idle_processes(lambda_runtime, lambda_svc)
finish_invocations(lambda_runtime, lambda_svc)

CODE = """
export const handler = async ({ fail, exit, ms = 0 }) => {
  // The engine waits for the line that each call prints.
  console.log("called");
  if (exit) process.exit(1);
  await new Promise((done) => setTimeout(done, ms));
  if (fail) throw new TypeError(fail);
  return process.pid;
};
"""


def code_zip():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("index.mjs", CODE)
    return archive.getvalue()


CODE_ZIP = code_zip()


def call(name, **event):
    config = {
        "FunctionName": name,
        "FunctionArn": f"arn:aws:lambda:us-east-1:000000000000:function:{name}",
        "Runtime": "nodejs24.x",
        "Handler": "index.handler",
        "Timeout": 30,
    }
    return lambda_svc._execute_function_warm({"config": config, "code_zip": CODE_ZIP}, event, "request")


class Processes(unittest.TestCase):
    def tearDown(self):
        lambda_runtime.reset()

    def test_a_process_survives_an_error_of_its_handler(self):
        first = call("fails")["body"]
        failed = call("fails", fail="no such order")
        self.assertEqual([failed["error"], failed["body"]["errorMessage"]], [True, "no such order"])
        self.assertIn("TypeError: no such order", failed["log"])
        self.assertEqual(call("fails")["body"], first)

    def test_a_process_that_ended_is_replaced(self):
        first = call("ends")["body"]
        self.assertTrue(call("ends", exit=True)["error"])
        self.assertNotEqual(call("ends")["body"], first)

    def test_an_idle_function_keeps_a_process_only_if_it_is_called_often(self):
        for calls, name in ((FEW_CALLS - 1, "rare"), (FEW_CALLS, "daily")):
            for _ in range(calls):
                call(name)
        self.assertEqual(lambda_svc.reap_idle_workers(ttl=3600), 0)
        self.assertEqual(lambda_svc.reap_idle_workers(ttl=0), 1)
        self.assertEqual([worker.func_name for workers in lambda_runtime._workers.values() for worker in workers], ["daily"])

    def test_an_invocation_ends_although_its_function_is_updated(self):
        first = call("updated")["body"]
        answers = []
        calling = threading.Thread(target=lambda: answers.append(call("updated", ms=2_000)))
        calling.start()
        until(lambda: lambda_runtime.workers_in_use() == 1)
        lambda_svc.invalidate_worker("updated")
        self.assertNotEqual(call("updated")["body"], first)
        calling.join()
        self.assertEqual([answer["body"] for answer in answers], [first])
        until(lambda: not is_running(first))

    def test_short_calls_of_a_burst_share_a_few_processes(self):
        answers = in_parallel(40, "short")
        self.assertEqual(len(answers), 40)
        # Without the limits there would be one for each call.
        self.assertLess(len(set(answers)), 20)

    def test_a_call_waits_for_a_process_that_is_soon_free(self):
        with unittest.mock.patch("patches.process_starts.PATIENCE_S", 20):
            few = set(in_parallel(STARTS_AT_A_TIME, "soon", ms=500))
            self.assertEqual(set(in_parallel(STARTS_AT_A_TIME + 1, "soon", ms=500)), few)

    def test_calls_that_wait_for_one_another_run_at_the_same_time(self):
        self.assertEqual(len(set(in_parallel(6, "long", ms=2_000))), 6)


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("The condition did not come true.")
        time.sleep(0.02)


def is_running(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


def in_parallel(count, name, **event):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(call(name, **event)["body"])) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


unittest.main()
