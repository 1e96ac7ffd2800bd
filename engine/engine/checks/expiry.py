"""Checks patches/expiry.py with the engine's own modules, in one process. expiry.test.ts runs it."""

import os
import tempfile
import threading
import time
import unittest

# The engine reads its directories when it is imported.
os.environ.setdefault("STATE_DIR", tempfile.mkdtemp())
os.environ.setdefault("S3_DATA_DIR", tempfile.mkdtemp())

from ministack.services import dynamodb as ddb
from ministack.services import lambda_svc, s3
from ministack.services.cloudformation import provisioners

from patches import expiry
from patches.packed_items import pack_items

pack_items()
expiry.declare_expiry(provisioners, ddb, s3)
expiry.emit_wanted_records(ddb, lambda_svc)
KEYS = {"AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")]}
KEYS["KeySchema"] = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
NOW = int(time.time())
DAY = 24 * 3600


def create(resource, props):
    return provisioners._RESOURCE_HANDLERS[resource]["create"]("It", props, "stack")[0]


def table(**props):
    return create("AWS::DynamoDB::Table", {**KEYS, "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True}, **props})


def put(name, pk, ttl, **attributes):
    item = {"pk": {"S": pk}, "sk": {"S": "job"}, "ttl": {"N": str(ttl)}, **attributes}
    ddb._set_item(ddb._tables[name], pk, "job", item)


class Expiry(unittest.TestCase):
    def test_expired_items_are_removed_with_records_that_name_the_service(self):
        name = table(TableName="one", StreamSpecification={"StreamViewType": "OLD_IMAGE"})
        put(name, "old", NOW - 1, text={"S": 'a "ttl":{"N":"1"} b'})
        put(name, "new", NOW + 100, text={"S": '"ttl":{"N":"1"}'})
        records = expiry.expire_items(ddb, NOW)
        self.assertEqual([each["dynamodb"]["OldImage"]["pk"]["S"] for each in records], ["old"])
        self.assertEqual(records[0]["userIdentity"], {"type": "Service", "principalId": "dynamodb.amazonaws.com"})
        self.assertEqual(list(ddb._tables[name]["items"]), ["new"])
        self.assertEqual(len(ddb._stream_records[name]), 1)
        self.assertEqual(len(expiry.expire_items(ddb, NOW + 101)), 1)

    def test_the_own_thread_of_the_engine_ends(self):
        expiry.stop_own_ttl(ddb)
        thread = threading.Thread(target=ddb._ttl_reaper, name="dynamodb-ttl-reaper", daemon=True)
        thread.start()
        thread.join(10)
        self.assertFalse(thread.is_alive())

    def test_an_attribute_inside_of_an_item_is_no_expiry(self):
        name = table(TableName="inner")
        rule = {"M": {"idempotency": {"M": {"ttl": {"N": "600"}}}}}
        ddb._set_item(ddb._tables[name], "kept", "job", {"pk": {"S": "kept"}, "sk": {"S": "job"}, "value": rule})
        put(name, "later", NOW + DAY, value=rule)
        self.assertEqual(expiry.expire_items(ddb, NOW + 0.5), [])
        self.assertEqual(list(ddb._tables[name]["items"]), ["kept", "later"])

    def test_a_table_without_expiry_keeps_its_items(self):
        name = create("AWS::DynamoDB::Table", {**KEYS, "TableName": "two"})
        put(name, "old", NOW - 1)
        self.assertEqual(expiry.expire_items(ddb, NOW), [])

    def test_records_that_every_reader_rejects_are_not_stored(self):
        name = table(TableName="three", StreamSpecification={"StreamViewType": "OLD_IMAGE"})
        pattern = '{"eventName":["REMOVE"],"userIdentity":{"type":["Service"]},"dynamodb":{"OldImage":{"rn":{"S":["long"]}}}}'
        lambda_svc._esms["reader"] = {
            "EventSourceArn": ddb._tables[name]["LatestStreamArn"],
            "FilterCriteria": {"Filters": [{"Pattern": pattern}]},
        }
        self.addCleanup(lambda_svc._esms.pop, "reader", None)
        item = {"pk": {"S": "p"}, "sk": {"S": "job"}, "rn": {"S": "long"}}
        ddb._emit_stream_event(name, "INSERT", None, item)
        ddb._emit_stream_event(name, "REMOVE", item, None)
        put(name, "short", NOW - 1)
        put(name, "long", NOW - 1, rn={"S": "long"})
        expiry.expire_items(ddb, NOW)
        self.assertEqual([each["dynamodb"]["Keys"]["pk"]["S"] for each in ddb._stream_records.get(name, [])], ["long"])

    def test_objects_are_removed_at_the_midnight_after_their_days(self):
        rules = [{"Id": "jobs", "Prefix": "jobs/", "ExpirationInDays": 31, "Status": "Enabled"}, {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}}]
        name = create("AWS::S3::Bucket", {"BucketName": "bucket", "LifecycleConfiguration": {"Rules": rules}})
        for key in ("jobs/a", "files/a"):
            s3._put_object(name, key, b"body", {})
        expiry.grow_older(s3, [name], 30 * DAY)
        self.assertEqual(expiry.expire_objects(s3, NOW, [name]), 0)
        self.assertEqual(expiry.expire_objects(s3, NOW + 2 * DAY, ["other"]), 0)
        self.assertEqual(expiry.expire_objects(s3, NOW + 2 * DAY), 1)
        self.assertEqual(list(s3._buckets[name]["objects"]), ["files/a"])

    def test_uploads_that_nobody_completed_are_removed_at_the_midnight_after_their_days(self):
        rules = [{"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}, "Status": "Enabled"}]
        name = create("AWS::S3::Bucket", {"BucketName": "parts", "LifecycleConfiguration": {"Rules": rules}})
        s3._create_multipart_upload(name, "files/a", {})
        expiry.expire_objects(s3, NOW + DAY / 2, [name])
        self.assertEqual(len(list(s3._multipart_uploads.items())), 1)
        expiry.expire_objects(s3, NOW + 2 * DAY, [name])
        self.assertEqual(list(s3._multipart_uploads.items()), [])

    def test_the_lifecycle_rounds_up_to_midnight(self):
        midnight = expiry.lifecycle_s("2026-01-02T00:00:00.000Z", 0)
        self.assertEqual(expiry.lifecycle_s("2026-01-01T00:00:01.000Z", 31), midnight + 31 * DAY)
        self.assertEqual(expiry.lifecycle_s("2026-01-02T00:00:00.000Z", 31), midnight + 31 * DAY)


unittest.main()
