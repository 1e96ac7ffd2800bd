"""Bounds the records that the engine retains of finished work. Without bounds, each finished job would leave about 40 KB of such records.

Needed until the engine bounds these records itself. No issue of MiniStack asks for it.
Test: engine/engine/checks/bounded_records.py
"""


# Log streams for each group. Each invocation of a function has one; tests and people read the latest.
LOG_STREAMS = 200
# Ended executions of Step Functions. Flows read the state of an execution shortly after its end.
EXECUTIONS = 200
# Stream records that every reader has passed.
STREAM_RECORDS = 100
# Data points of each metric, published events, and sent mails.
POINTS = 100
EVENTS = 200
MAILS = 1000
# Clients repeat a request within seconds. AWS recognises a repeated transaction for 10 minutes.
TRANSACTION_TOKEN_S = 30


def bound_log_groups(lambda_svc, logs):
    emit = lambda_svc._emit_lambda_logs

    def emit_bounded(func, *args, **kwargs):
        emit(func, *args, **kwargs)
        for _, group in logs._log_groups.all_items():
            streams = group["streams"]
            while len(streams) > LOG_STREAMS:
                # Threads of several functions do this at the same time.
                streams.pop(next(iter(list(streams)), None), None)

    lambda_svc._emit_lambda_logs = emit_bounded


def bound_executions(stepfunctions):
    """Executions are in the order of their start."""
    emit = stepfunctions._emit_execution_status_event

    def emit_bounded(execution, *args, **kwargs):
        emit(execution, *args, **kwargs)
        ended = [key for key, each in stepfunctions._executions.all_items() if each.get("status") not in ("RUNNING", "PENDING_REDRIVE")]
        for key in ended[: max(0, len(ended) - EXECUTIONS)]:
            stepfunctions._executions._data.pop(key, None)

    stepfunctions._emit_execution_status_event = emit_bounded


def bound_streams(ddb, lambda_svc):
    """A record is dropped when every function that reads the table's stream has passed it. Positions are absolute, so nothing moves."""
    trim = ddb._trim_stream_records

    def trim_bounded(table_name, *, account_id=None, region=None):
        trim(table_name, account_id=account_id, region=region)
        records = ddb._live_stream_records(table_name, account_id, region)
        if len(records) <= STREAM_RECORDS:
            return
        first = ddb._trimmed_count(table_name, account_id, region)
        positions = [
            position
            for (account, of, esm), position in lambda_svc._dynamodb_stream_positions.all_items()
            if f":table/{table_name}/stream/" in (lambda_svc._esms.get_scoped(account, of, esm) or {}).get("EventSourceArn", "")
        ]
        dropped = min([first + len(records) - STREAM_RECORDS, *positions]) - first
        if dropped <= 0:
            return
        del records[:dropped]
        if account_id is None or region is None:
            ddb._stream_trimmed[table_name] = first + dropped
        else:
            ddb._stream_trimmed.set_scoped(account_id, region, table_name, first + dropped)

    ddb._trim_stream_records = trim_bounded


def bound_list(module, name, most):
    """Bounds a list that a function of the engine returns to its writers and readers."""
    original = getattr(module, name)

    def bounded(*args, **kwargs):
        entries = original(*args, **kwargs)
        if len(entries) > most:
            del entries[: len(entries) - most]
        return entries

    setattr(module, name, bounded)


def bound_records():
    from ministack.services import cloudwatch, cloudwatch_logs, dynamodb, eventbridge, lambda_svc, ses, ses_v2, stepfunctions

    bound_log_groups(lambda_svc, cloudwatch_logs)
    bound_executions(stepfunctions)
    bound_streams(dynamodb, lambda_svc)
    bound_list(cloudwatch, "_metric_bucket", POINTS)
    bound_list(eventbridge, "_events_log_list", EVENTS)
    for module in (ses, ses_v2):
        bound_list(module, "_sent_emails_list", MAILS)
    dynamodb._TXN_TOKEN_TTL = TRANSACTION_TOKEN_S
