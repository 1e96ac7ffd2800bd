"""Checks the rights of functions with the engine's own modules, in one process. function-roles.test.ts runs it."""

import asyncio
import json
import os
import tempfile
import unittest

# The engine reads its directories when it is imported.
os.environ.setdefault("STATE_DIR", tempfile.mkdtemp())
os.chdir(os.environ["STATE_DIR"])

from ministack import app
from ministack.core import lambda_runtime
from ministack.services import dynamodb, iam, lambda_svc, s3, stepfunctions

from patches.function_roles import DENIED_FILE, Roles, enforce_roles, record_denial, refused_right
from patches.needed_rights import needed_rights
from patches.role_policy import Policy, Right

PLACE = "us-east-1:000000000000"
FUNCTION = f"arn:aws:lambda:{PLACE}:function:reader"
TABLE = f"arn:aws:dynamodb:{PLACE}:table/objects"
BUCKET = "arn:aws:s3:::files"
KEY = f"arn:aws:kms:{PLACE}:key/one"


def allow(action, resource, **condition):
    return {"Effect": "Allow", "Action": action, "Resource": resource, **({"Condition": condition} if condition else {})}


def deny(action, resource):
    return {"Effect": "Deny", "Action": action, "Resource": resource}


def policy(*statements):
    return Policy([{"Statement": list(statements)}])


def rights(service, target=None, data=None, *, method="POST", path="/", params={}, headers={}, body=None):
    headers = {**headers, **({"x-amz-target": f"Service.{target}"} if target else {})}
    return needed_rights(service, (method, path, headers, json.dumps(data).encode() if body is None else body, params), PLACE)


def leading(*keys):
    return {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": list(keys)}}


def names(found):
    return [(right.action, right.resource) for right in found]


class Policies(unittest.TestCase):
    def test_nothing_is_allowed_without_a_statement_and_a_denial_wins(self):
        self.assertFalse(policy().allows(Right("s3:GetObject", BUCKET)))
        self.assertTrue(policy(allow("s3:GetObject", f"{BUCKET}/jobs/*")).allows(Right("s3:GetObject", f"{BUCKET}/jobs/a/b")))
        self.assertFalse(policy(allow("s3:GetObject", f"{BUCKET}/jobs/*")).allows(Right("s3:GetObject", f"{BUCKET}/flows/a")))
        both = policy(allow("s3:*", "*"), deny("s3:Get*", "*"))
        self.assertFalse(both.allows(Right("s3:GetObject", BUCKET)))
        self.assertTrue(both.allows(Right("s3:PutObject", BUCKET)))

    def test_actions_ignore_case_and_resources_do_not(self):
        self.assertTrue(policy(allow("S3:getobject", BUCKET)).allows(Right("s3:GetObject", BUCKET)))
        self.assertFalse(policy(allow("s3:GetObject", BUCKET.upper())).allows(Right("s3:GetObject", BUCKET)))

    def test_wildcards_match_text_and_not_regular_expressions(self):
        self.assertFalse(policy(allow("s3:GetObject", "arn:aws:s3:::a.b")).allows(Right("s3:GetObject", "arn:aws:s3:::axb")))
        self.assertTrue(policy(allow("s3:GetObject", "arn:aws:s3:::a?b*")).allows(Right("s3:GetObject", "arn:aws:s3:::axb\nc")))

    def test_conditions_of_one_statement_must_all_hold(self):
        found = policy(
            allow(
                "kms:Decrypt",
                KEY,
                StringEquals={"kms:EncryptionContext:service": "svc"},
                Null={"kms:EncryptionContext:purpose": "true"},
                StringNotEquals={"kms:EncryptionContext:workspace": "-"},
            )
        )
        allows = lambda **context: found.allows(
            Right("kms:Decrypt", KEY, {f"kms:encryptioncontext:{name}": [value] for name, value in context.items()})
        )
        self.assertTrue(allows(service="svc", workspace="demo"))
        self.assertTrue(allows(service="svc"))
        self.assertFalse(allows(workspace="demo"))
        self.assertFalse(allows(service="other", workspace="demo"))
        self.assertFalse(allows(service="svc", workspace="-"))
        self.assertFalse(allows(service="svc", workspace="demo", purpose="links"))

    def test_all_leading_keys_must_match_and_a_request_without_any_passes_as_on_aws(self):
        found = policy(allow("dynamodb:PutItem", TABLE, **leading("AUDIT#*", "KEYS")))
        allows = lambda *keys: found.allows(Right("dynamodb:PutItem", TABLE, {"dynamodb:leadingkeys": list(keys)} if keys else {}))
        self.assertTrue(allows("AUDIT#a", "KEYS"))
        self.assertFalse(allows("AUDIT#a", "KEYS#"))
        self.assertTrue(allows())

    def test_a_key_with_several_values_needs_a_set_operator_and_a_value(self):
        targets = {"events:TargetArn": "arn:aws:sqs:*"}
        right = lambda *arns: Right("events:PutTargets", "r", {"events:targetarn": list(arns)} if arns else {})
        self.assertFalse(policy(allow("events:PutTargets", "*", ArnEquals=targets)).allows(right("arn:aws:sqs:a")))
        found = policy(
            allow("events:PutTargets", "*", **{"ForAllValues:ArnEquals": targets, "Null": {"events:TargetArn": "false"}})
        )
        self.assertTrue(found.allows(right("arn:aws:sqs:a", "arn:aws:sqs:b")))
        self.assertFalse(found.allows(right("arn:aws:sqs:a", "arn:aws:lambda:b")))
        self.assertFalse(found.allows(right()))

    def test_any_value_needs_one_value(self):
        found = policy(allow("dynamodb:PutItem", TABLE, **{"ForAnyValue:StringEquals": {"dynamodb:EnclosingOperation": ["TransactWriteItems"]}}))
        self.assertFalse(found.allows(Right("dynamodb:PutItem", TABLE)))
        self.assertTrue(found.allows(Right("dynamodb:PutItem", TABLE, {"dynamodb:enclosingoperation": ["TransactWriteItems"]})))

    def test_what_cannot_be_evaluated_counts_against_the_request(self):
        right = Right("s3:GetObject", BUCKET)
        for condition in (
            {"NumericLessThan": {"s3:max-keys": "10"}},
            {"StringNotEquals": {"aws:sourcevpc": "vpc-1"}},
            {"StringEqualsIfExists": {"dynamodb:LeadingKeys": "a"}},
            {"ForMost:StringEquals": {"dynamodb:LeadingKeys": "a"}},
        ):
            self.assertFalse(policy(allow("s3:*", "*", **condition)).allows(right), condition)
        self.assertFalse(policy({"Effect": "Allow", "NotAction": "s3:PutObject", "Resource": "*"}).allows(right))
        self.assertFalse(policy(allow("s3:*", "arn:aws:s3:::${aws:username}")).allows(right))
        self.assertFalse(policy(allow("s3:*", "*"), {"Effect": "Deny", "Action": "s3:*", "NotResource": BUCKET}).allows(right))

    def test_a_right_to_any_resource_needs_a_statement_whose_conditions_hold(self):
        self.assertTrue(policy(allow("states:SendTaskSuccess", "arn:machine:svc-*")).allows(Right("states:SendTaskSuccess", None)))
        self.assertFalse(policy(allow("states:StopExecution", "*")).allows(Right("states:SendTaskSuccess", None)))


class Requests(unittest.TestCase):
    def setUp(self):
        schema = lambda *keys: [{"AttributeName": name, "KeyType": kind} for name, kind in zip(keys, ("HASH", "RANGE"))]
        index = {"IndexName": "due", "KeySchema": schema("dp", "ds")}
        dynamodb._tables["objects"] = {"KeySchema": schema("pk", "sk"), "GlobalSecondaryIndexes": [index]}
        s3._buckets["files"] = {"objects": {"jobs/a": {}, "jobs/b": {}}}

    def test_dynamodb_requests_name_table_and_partition_keys(self):
        key = lambda pk: {"pk": {"S": pk}, "sk": {"S": "x"}}
        named = {"TableName": "objects"}
        self.assertEqual(
            rights("dynamodb", "PutItem", {**named, "Item": {**key("a"), "v": {"S": "b"}}}),
            [Right("dynamodb:PutItem", TABLE, {"dynamodb:leadingkeys": ["a"]})],
        )
        for action in ("GetItem", "UpdateItem", "DeleteItem"):
            self.assertEqual(
                rights("dynamodb", action, {**named, "Key": key("a")}), [Right(f"dynamodb:{action}", TABLE, {"dynamodb:leadingkeys": ["a"]})]
            )
        self.assertEqual(
            rights("dynamodb", "BatchWriteItem", {"RequestItems": {"objects": [{"PutRequest": {"Item": key("a")}}, {"DeleteRequest": {"Key": key("b")}}]}}),
            [Right("dynamodb:BatchWriteItem", TABLE, {"dynamodb:leadingkeys": ["a", "b"]})],
        )
        self.assertEqual(
            rights("dynamodb", "BatchGetItem", {"RequestItems": {"objects": {"Keys": [key("a"), key("b")]}}}),
            [Right("dynamodb:BatchGetItem", TABLE, {"dynamodb:leadingkeys": ["a", "b"]})],
        )
        self.assertEqual(rights("dynamodb", "Scan", named), [Right("dynamodb:Scan", TABLE)])

    def test_a_query_names_its_index_and_the_partition_key_of_the_index(self):
        query = {
            "TableName": "objects",
            "KeyConditionExpression": "#p = :p AND #s BETWEEN :from AND :to",
            "ExpressionAttributeNames": {"#p": "dp", "#s": "ds"},
            "ExpressionAttributeValues": {":p": {"S": "shard"}, ":from": {"N": "1"}, ":to": {"N": "2"}},
        }
        self.assertEqual(
            rights("dynamodb", "Query", {**query, "IndexName": "due"}),
            [Right("dynamodb:Query", f"{TABLE}/index/due", {"dynamodb:leadingkeys": ["shard"]})],
        )

    def test_each_item_of_a_transaction_needs_the_right_of_its_own_action(self):
        key = {"TableName": "objects", "Key": {"pk": {"S": "b"}, "sk": {"S": "x"}}}
        put = {"TableName": "objects", "Item": {"pk": {"S": "a"}, "sk": {"S": "x"}}}
        found = rights("dynamodb", "TransactWriteItems", {"TransactItems": [{"Put": put}, {"Update": key}, {"Delete": key}, {"ConditionCheck": key}]})
        self.assertEqual([right.action for right in found], [f"dynamodb:{name}Item" for name in ("Put", "Update", "Delete", "ConditionCheck")])
        self.assertEqual([right.keys["dynamodb:leadingkeys"] for right in found], [["a"], ["b"], ["b"], ["b"]])
        self.assertEqual(found[0].keys["dynamodb:enclosingoperation"], ["TransactWriteItems"])

    def test_s3_requests_need_the_rights_of_all_objects(self):
        self.assertEqual(names(rights("s3", method="HEAD", path="/files/jobs/a")), [("s3:GetObject", f"{BUCKET}/jobs/a")])
        self.assertEqual(names(rights("s3", method="GET", path="/files", params={"list-type": ["2"]})), [("s3:ListBucket", BUCKET)])
        self.assertEqual(
            names(rights("s3", method="PUT", path="/files/jobs/c", headers={"x-amz-copy-source": "files/jobs/a"})),
            [("s3:PutObject", f"{BUCKET}/jobs/c"), ("s3:GetObject", f"{BUCKET}/jobs/a")],
        )
        body = b"<Delete><Object><Key>jobs/a</Key></Object><Object><Key>jobs/b</Key></Object></Delete>"
        self.assertEqual(
            names(rights("s3", path="/files", params={"delete": [""]}, body=body)),
            [("s3:DeleteObject", f"{BUCKET}/jobs/a"), ("s3:DeleteObject", f"{BUCKET}/jobs/b")],
        )

    def test_a_read_of_a_missing_object_needs_the_right_to_list(self):
        self.assertEqual(
            names(rights("s3", method="GET", path="/files/jobs/none")), [("s3:GetObject", f"{BUCKET}/jobs/none"), ("s3:ListBucket", BUCKET)]
        )

    def test_step_functions_requests_name_machine_or_execution(self):
        machine, execution = f"arn:aws:states:{PLACE}:stateMachine:svc-a", f"arn:aws:states:{PLACE}:execution:svc-a:1"
        role = "arn:aws:iam::000000000000:role/machines"
        created = rights("states", "CreateStateMachine", {"name": "svc-a", "roleArn": role, "tags": [{"key": "svc", "value": "svc"}]})
        self.assertEqual(names(created), [("states:CreateStateMachine", machine), ("iam:PassRole", role), ("states:TagResource", machine)])
        self.assertEqual(created[1].keys, {"iam:passedtoservice": ["states.amazonaws.com"]})
        self.assertEqual(names(rights("states", "StartExecution", {"stateMachineArn": machine})), [("states:StartExecution", machine)])
        self.assertEqual(names(rights("states", "StopExecution", {"executionArn": execution})), [("states:StopExecution", execution)])
        self.assertEqual(names(rights("states", "SendTaskSuccess", {"taskToken": "t"})), [("states:SendTaskSuccess", None)])
        stepfunctions._tags[machine] = [{"key": "svc", "value": "mine"}]
        self.assertEqual(
            rights("states", "DeleteStateMachine", {"stateMachineArn": machine}),
            [Right("states:DeleteStateMachine", machine, {"aws:resourcetag/svc": ["mine"]})],
        )

    def test_changes_of_event_source_mappings_name_the_function(self):
        receive = f"arn:aws:lambda:{PLACE}:function:receive"
        lambda_svc._esms["one"] = {"FunctionArn": receive}
        mappings = "/2015-03-31/event-source-mappings/"
        keys = {"lambda:functionarn": [receive]}
        self.assertEqual(
            rights("lambda", path=mappings, data={"FunctionName": "receive"}),
            [Right("lambda:CreateEventSourceMapping", None, keys)],
        )
        for method, action in (("PUT", "Update"), ("DELETE", "Delete")):
            self.assertEqual(
                rights("lambda", method=method, path=f"{mappings}one", data={}),
                [Right(f"lambda:{action}EventSourceMapping", f"arn:aws:lambda:{PLACE}:event-source-mapping:one", keys)],
            )

    def test_other_services(self):
        self.assertEqual(
            rights("kms", "GenerateDataKey", {"KeyId": KEY, "EncryptionContext": {"service": "svc"}}),
            [Right("kms:GenerateDataKey", KEY, {"kms:encryptioncontext:service": ["svc"]})],
        )
        queue = {"QueueUrl": "http://localhost:1/000000000000/jobs"}
        for action in ("SendMessage", "SendMessageBatch"):
            self.assertEqual(names(rights("sqs", action, queue)), [("sqs:SendMessage", f"arn:aws:sqs:{PLACE}:jobs")])
        invoked = f"arn:aws:lambda:{PLACE}:function:step"
        self.assertEqual(names(rights("lambda", path="/2015-03-31/functions/step/invocations")), [("lambda:InvokeFunction", invoked)])
        self.assertEqual(
            names(rights("lambda", path="/2015-03-31/functions/step/invocations", params={"Qualifier": ["live"]})),
            [("lambda:InvokeFunction", f"{invoked}:live")],
        )
        self.assertEqual(
            names(rights("cognito-idp", "AdminCreateUser", {"UserPoolId": "pool"})),
            [("cognito-idp:AdminCreateUser", f"arn:aws:cognito-idp:{PLACE}:userpool/pool")],
        )
        self.assertEqual(names(rights("sns", body=b"Action=Publish&TopicArn=arn%3Atopic")), [("sns:Publish", "arn:topic")])
        mail = {"FromEmailAddress": "a@example.com", "ConfigurationSetName": "set"}
        self.assertEqual(
            names(rights("ses", path="/v2/email/outbound-emails", data=mail)),
            [("ses:SendEmail", f"arn:aws:ses:{PLACE}:identity/example.com"), ("ses:SendEmail", f"arn:aws:ses:{PLACE}:configuration-set/set")],
        )


class Functions(unittest.TestCase):
    def setUp(self):
        functions = {"run": {"config": {"FunctionName": "run", "Role": "arn:aws:iam::000000000000:role/run-role"}}}
        self.roles = {"run-role": {"InlinePolicies": {"one": json.dumps({"Statement": [allow("dynamodb:GetItem", TABLE)]})}}}
        self.known = Roles(functions, self.roles)
        dynamodb._tables["objects"] = {"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}

    def refused(self, function_name, action):
        data = {"TableName": "objects", "Key": {"pk": {"S": "a"}}, "Item": {"pk": {"S": "a"}}}
        request = ("POST", "/", {"x-amz-target": f"DynamoDB_20120810.{action}"}, json.dumps(data).encode(), {})
        return refused_right(self.known, function_name, "dynamodb", request, PLACE)

    def test_a_function_has_the_rights_of_its_role_and_of_a_later_version_of_it(self):
        self.assertIsNone(self.refused("run", "GetItem"))
        self.assertEqual(self.refused("run", "PutItem").action, "dynamodb:PutItem")
        self.roles["run-role"]["InlinePolicies"]["two"] = json.dumps({"Statement": [allow("dynamodb:PutItem", TABLE)]})
        self.assertIsNone(self.refused("run", "PutItem"))

    def test_a_secret_that_the_engine_names_is_found_by_its_arn(self):
        self.roles["run-role"]["InlinePolicies"]["one"] = json.dumps({"Statement": allow("secretsmanager:GetSecretValue", "seed")})
        arn = f"arn:aws:secretsmanager:{PLACE}:secret:seed"
        allows = lambda arn: self.known.policy_of("run").allows(Right("secretsmanager:GetSecretValue", arn))
        self.assertEqual([allows(f"{arn}-a1b2c3"), allows(f"{arn}2-a1b2c3")], [True, False])

    def test_unknown_functions_and_unknown_requests_are_refused(self):
        self.assertIsNotNone(self.refused("gone", "GetItem"))
        self.assertEqual(self.refused("run", "ExecuteStatement"), Right("dynamodb:ExecuteStatement", None))
        self.assertEqual(self.refused("run", "CreateTable"), Right("dynamodb:CreateTable", None))

    def test_a_refused_request_is_recorded_as_a_sentence(self):
        record_denial("svc-Run1", "svc: run routes", Right("s3:GetObject", f"{BUCKET}/flows/a", {}))
        with open(DENIED_FILE) as file:
            entry = json.loads(list(file)[-1])
        self.assertEqual(
            entry["sentence"],
            "The function svc-Run1 (svc: run routes) called s3:GetObject on arn:aws:s3:::files/flows/a, "
            "and its role does not allow that. Grant the right in lib/, or do not send the request.",
        )


class Engine(unittest.TestCase):
    def test_a_function_calls_with_its_key_and_gets_what_its_role_allows(self):
        enforce_roles()
        lambda_svc._functions["reader"] = {"config": {"Role": "arn:aws:iam::000000000000:role/reader"}}
        iam._roles["reader"] = {"InlinePolicies": {"all": json.dumps({"Statement": [allow("dynamodb:GetItem", "*")]})}}
        key = lambda_runtime.execution_credentials({"FunctionName": "reader", "FunctionArn": FUNCTION})["AWS_ACCESS_KEY_ID"]

        def error_of(access_key, operation):
            credential = f"AWS4-HMAC-SHA256 Credential={access_key}/20260101/us-east-1/dynamodb/aws4_request"
            headers = {"x-amz-target": f"DynamoDB_20120810.{operation}", "authorization": credential}
            body = json.dumps({"TableName": "none", "Key": {"pk": {"S": "a"}}}).encode()
            _, _, answer = asyncio.run(app.SERVICE_HANDLERS["dynamodb"]("POST", "/", headers, body, {}))
            return json.loads(answer)["__type"].rpartition("#")[2]

        self.assertEqual(error_of(key, "GetItem"), "ResourceNotFoundException")
        self.assertEqual(error_of(key, "DeleteItem"), "AccessDeniedException")
        self.assertEqual(error_of("test", "DeleteItem"), "ResourceNotFoundException")


unittest.main()
