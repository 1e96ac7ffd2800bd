"""Removes expired data, as AWS does: items by the TTL of their table, and objects by the lifecycle rules of their bucket.

The engine stores neither setting from a CloudFormation template. Its own TTL parses every item every minute, and writes no stream record. A
test can run a sweep of the test's tables and buckets at a time of its choice, and let the objects in its buckets grow older:
POST /_svc/expire {"nowMs": ..., "tables": [...], "buckets": [...], "olderByMs": ...}.

Needed until the engine applies these settings of a template, and its TTL writes stream records. No issue of MiniStack asks for it.
Test: engine/engine/checks/expiry.py
"""

import contextlib
import datetime
import json
import logging
import re
import threading
import time

SWEEP_S = 60
DAY_S = 24 * 3600

logger = logging.getLogger("expiry")
removing = threading.local()


def declare_expiry(provisioners, ddb, s3):
    """Applies TimeToLiveSpecification and LifecycleConfiguration of a template."""

    def table_created(name, props):
        spec = props.get("TimeToLiveSpecification")
        if spec:
            status = "ENABLED" if str(spec.get("Enabled")).lower() == "true" else "DISABLED"
            ddb._ttl_settings[name] = {"TimeToLiveStatus": status, "AttributeName": spec["AttributeName"]}

    def bucket_created(name, props):
        rules = (props.get("LifecycleConfiguration") or {}).get("Rules")
        if rules:
            s3._bucket_lifecycle[name] = [lifecycle_rule(rule) for rule in rules]

    for resource, applied in (("AWS::DynamoDB::Table", table_created), ("AWS::S3::Bucket", bucket_created)):
        handlers = provisioners._RESOURCE_HANDLERS[resource]
        handlers["create"] = and_then(handlers["create"], 1, applied)
        handlers["update"] = and_then(handlers["update"], 2, applied)


def and_then(handler, props_at, applied):
    def handled(*args, **kwargs):
        result = handler(*args, **kwargs)
        applied(result[0], args[props_at])
        return result

    return handled


def lifecycle_rule(rule):
    """A rule as PutBucketLifecycleConfiguration stores it."""
    stored = {"Status": rule.get("Status", "Enabled"), "Filter": {"Prefix": rule.get("Prefix", "")}}
    if "Id" in rule:
        stored["ID"] = rule["Id"]
    if "ExpirationInDays" in rule:
        stored["Expiration"] = {"Days": int(rule["ExpirationInDays"])}
    if "AbortIncompleteMultipartUpload" in rule:
        days = rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"]
        stored["AbortIncompleteMultipartUpload"] = {"DaysAfterInitiation": int(days)}
    return stored


def stop_own_ttl(ddb):
    """Ends the engine's own thread when it next reads the clock. The module's other users get the usual one."""

    class Clock:
        def __getattr__(self, name):
            if threading.current_thread().name == "dynamodb-ttl-reaper":
                raise SystemExit
            return getattr(time, name)

    ddb.time = Clock()


def emit_wanted_records(ddb, lambda_svc):
    """Adds the identity of TTL to its stream records, and stores no record that the filters of all readers reject.

    A reader passes rejected records one by one, which would delay the others by every write to the table.
    """
    emit, build = ddb._emit_stream_event, ddb._build_change_record

    def build_record(*args, **kwargs):
        record = build(*args, **kwargs)
        if getattr(removing, "by_ttl", False):
            record["userIdentity"] = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
        return record

    def emit_wanted(table_name, event_name, old_item, new_item, replicate=True):
        table = ddb._tables.get(table_name)
        if table and (table.get("StreamSpecification") or {}).get("StreamEnabled"):
            readers = [esm for _, esm in lambda_svc._esms.all_items() if f":table/{table_name}/stream/" in esm.get("EventSourceArn", "")]
            record = build_record(table, event_name, old_item, new_item, table["StreamSpecification"].get("StreamViewType"))
            if readers and not any(lambda_svc._apply_filter_criteria([record], esm) for esm in readers):
                return
        emit(table_name, event_name, old_item, new_item, replicate)

    ddb._build_change_record = build_record
    ddb._emit_stream_event = emit_wanted


@contextlib.contextmanager
def scope_of(account, region):
    """The stores of the engine belong to the account and region of a request."""
    from ministack.core import responses

    tokens = responses._request_account_id.set(account), responses._request_region.set(region)
    try:
        yield
    finally:
        responses._request_account_id.reset(tokens[0])
        responses._request_region.reset(tokens[1])


def expire_items(ddb, now_s, tables=None):
    """Removes the items that have expired at a time. Returns their stream records, also those of tables without a stream."""
    from patches.packed_items import packed_items

    records = []
    for (account, region, name), setting in list(ddb._ttl_settings.all_items()):
        table = ddb._tables.get_scoped(account, region, name)
        if not table or setting.get("TimeToLiveStatus") != "ENABLED" or (tables is not None and name not in tables):
            continue
        attribute = setting["AttributeName"]
        expiry = re.compile(rb'"%s":\{"N":"(\d+)"\}' % attribute.encode())
        with ddb._lock:
            found = [(pk, sk, raw) for pk, bucket in packed_items(table).items() for sk, raw in bucket.raw_items()]
        # Most items have not expired, and are not parsed.
        found = [(pk, sk) for pk, sk, raw in found if any(int(at) < now_s for at in expiry.findall(raw))]
        with scope_of(account, region):
            for pk, sk in found:
                with ddb._lock:
                    item = (table["items"].get(pk) or {}).get(sk)
                    # The expiry may have been extended, or the text found is a nested attribute, which AWS ignores.
                    expiry_s = item.get(attribute, {}).get("N") if item else None
                    if expiry_s is None or int(expiry_s) >= now_s:
                        continue
                    ddb._remove_item(table, pk, sk)
                    removing.by_ttl = True
                    try:
                        records.append(ddb._build_change_record(table, "REMOVE", item, None, "OLD_IMAGE"))
                        ddb._emit_stream_event(name, "REMOVE", item, None)
                    finally:
                        removing.by_ttl = False
    return records


def lifecycle_s(created_iso, days):
    """S3 adds the days to the creation and rounds up to the next midnight UTC."""
    created = datetime.datetime.fromisoformat(created_iso.replace("Z", "+00:00")).timestamp()
    return -(-(created + days * DAY_S) // DAY_S) * DAY_S


def grow_older(s3, buckets, by_s):
    """Moves the creation of the objects of some buckets into the past."""
    for (_, name), bucket in list(s3._buckets._data.items()):
        if name not in buckets:
            continue
        for stored in list(bucket["objects"].values()):
            created = datetime.datetime.fromisoformat(stored["last_modified"].replace("Z", "+00:00"))
            older = created - datetime.timedelta(seconds=by_s)
            stored["last_modified"] = older.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def expire_objects(s3, now_s, buckets=None):
    """Removes the objects that have expired at a time. Returns their number."""
    removed = 0
    for (account, name), rules in list(s3._bucket_lifecycle._data.items()):
        if not isinstance(rules, list) or (buckets is not None and name not in buckets):
            continue
        ends = [
            (rule["Filter"].get("Prefix", ""), rule["Expiration"]["Days"])
            for rule in rules
            if rule["Status"] == "Enabled" and "Days" in rule.get("Expiration", {})
        ]
        from ministack.core import responses

        with scope_of(account, responses.get_region()):
            abort_uploads(s3, now_s, name, rules)
            objects = (s3._buckets.get(name) or {}).get("objects", {})
            for key, stored in list(objects.items()):
                if any(key.startswith(prefix) and lifecycle_s(stored["last_modified"], days) <= now_s for prefix, days in ends):
                    s3._delete_object(name, key)
                    removed += 1
    return removed


def abort_uploads(s3, now_s, bucket, rules):
    """Removes uploads that were not completed within the days that a rule of their bucket allows, with their parts."""
    days = [
        (rule["Filter"].get("Prefix", ""), rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"])
        for rule in rules
        if rule["Status"] == "Enabled" and "AbortIncompleteMultipartUpload" in rule
    ]
    for upload_id, upload in list(s3._multipart_uploads.items()):
        due = any(upload["key"].startswith(prefix) and lifecycle_s(upload["created"], after) <= now_s for prefix, after in days)
        if upload["bucket"] == bucket and due:
            del s3._multipart_uploads[upload_id]


def answer_sweeps(app, sweep):
    """Adds the route for tests. Only programs on this machine can reach it (refuse_web_pages)."""

    async def routed(scope, receive, send):
        if scope["type"] != "http" or scope["path"] != "/_svc/expire":
            return await app(scope, receive, send)
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        asked = json.loads(body)
        swept = sweep(asked)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": json.dumps(swept).encode()})

    return routed


def apply_expiry(app):
    """Sweeps every minute, and for tests at any time. Returns the application with the route for tests."""
    from ministack.services import dynamodb as ddb
    from ministack.services import lambda_svc, s3
    from ministack.services.cloudformation import provisioners

    declare_expiry(provisioners, ddb, s3)
    stop_own_ttl(ddb)
    emit_wanted_records(ddb, lambda_svc)

    def sweep(asked):
        grow_older(s3, asked["buckets"], asked.get("olderByMs", 0) / 1000)
        records = expire_items(ddb, asked["nowMs"] / 1000, asked["tables"])
        return {"records": records, "objects": expire_objects(s3, time.time(), asked["buckets"])}

    def sweep_always():
        while True:
            time.sleep(SWEEP_S)
            try:
                expire_items(ddb, time.time())
                expire_objects(s3, time.time())
            except Exception as error:
                logger.error("expiry failed: %s", error)

    threading.Thread(target=sweep_always, daemon=True, name="svc-expiry").start()
    return answer_sweeps(app, sweep)
