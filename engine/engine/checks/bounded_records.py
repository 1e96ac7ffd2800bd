"""Checks the bounds of patches/bounded_records.py with the engine's own modules, in one process. bounded-records.test.ts runs it."""

import os
import tempfile
import unittest

# The engine reads its directories when it is imported.
os.environ.setdefault("STATE_DIR", tempfile.mkdtemp())

from ministack.services import cloudwatch, cloudwatch_logs, dynamodb, eventbridge, lambda_svc, ses, stepfunctions

from patches import bounded_records as bounds

bounds.bound_records()


def execution(number, status):
    return {
        "executionArn": f"arn:{number}",
        "stateMachineArn": "arn:machine",
        "name": str(number),
        "status": status,
        "startDate": "2026-01-01T00:00:00.000Z",
        "stopDate": "2026-01-01T00:00:01.000Z",
        "input": "{}",
        "output": "{}",
        "events": [],
    }


class Bounds(unittest.TestCase):
    def test_a_log_group_keeps_its_latest_streams(self):
        func = {"config": {"FunctionName": "echo"}}
        for number in range(bounds.LOG_STREAMS + 50):
            lambda_svc._emit_lambda_logs(func, f"request-{number}", f"line {number}", False, 1)
        streams = cloudwatch_logs._log_groups["/aws/lambda/echo"]["streams"]
        self.assertEqual(len(streams), bounds.LOG_STREAMS)
        text = repr(list(streams.values())[-1])
        self.assertIn(f"line {bounds.LOG_STREAMS + 49}", text)
        self.assertNotIn("line 49'", repr(streams))

    def test_the_latest_ended_executions_remain_and_every_running_one(self):
        executions = stepfunctions._executions
        executions["arn:running"] = execution("running", "RUNNING")
        for number in range(bounds.EXECUTIONS + 50):
            ended = execution(number, "SUCCEEDED" if number % 2 else "FAILED")
            executions[ended["executionArn"]] = ended
            stepfunctions._emit_execution_status_event(ended)
        names = [each["name"] for _, each in executions.all_items()]
        self.assertEqual(names, ["running", *(str(number) for number in range(50, bounds.EXECUTIONS + 50))])

    def test_published_events_are_bounded(self):
        entries = eventbridge._events_log_list()
        entries.extend({"number": number} for number in range(bounds.EVENTS + 50))
        entries = eventbridge._events_log_list()
        self.assertEqual([entries[0]["number"], len(entries)], [50, bounds.EVENTS])

    def test_points_of_a_metric_are_bounded(self):
        cloudwatch._metric_bucket("m").extend(range(bounds.POINTS + 50))
        self.assertEqual(cloudwatch._metric_bucket("m"), list(range(50, bounds.POINTS + 50)))

    def test_a_transaction_is_recognised_for_a_short_time(self):
        dynamodb._txn_token_store("token", {})
        self.assertIsNotNone(dynamodb._txn_token_lookup("token"))
        dynamodb._txn_idempotency["token"]["completed_at"] -= bounds.TRANSACTION_TOKEN_S
        self.assertIsNone(dynamodb._txn_token_lookup("token"))

    def test_sent_mails_are_bounded(self):
        ses._sent_emails_list().extend(range(bounds.MAILS + 50))
        self.assertEqual(len(ses._sent_emails_list()), bounds.MAILS)

    def test_a_record_of_a_stream_remains_until_every_reader_has_passed_it(self):
        dynamodb._stream_records["jobs"] = [{"number": number} for number in range(bounds.STREAM_RECORDS + 50)]
        age = dynamodb._record_age_cutoff
        dynamodb._record_age_cutoff = lambda *_: False
        self.addCleanup(setattr, dynamodb, "_record_age_cutoff", age)
        lambda_svc._esms["reader"] = {"EventSourceArn": "arn:table/jobs/stream/1"}
        lambda_svc._dynamodb_stream_positions["reader"] = 20
        dynamodb._trim_stream_records("jobs")
        self.assertEqual(dynamodb._stream_records["jobs"][0], {"number": 20})
        lambda_svc._dynamodb_stream_positions["reader"] = 90
        dynamodb._trim_stream_records("jobs")
        self.assertEqual(dynamodb._stream_records["jobs"][0], {"number": 50})
        self.assertEqual([len(dynamodb._stream_records["jobs"]), dynamodb._trimmed_count("jobs")], [bounds.STREAM_RECORDS, 50])


unittest.main()
