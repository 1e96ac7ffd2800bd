"""The rights that a request to AWS needs, as the Service Authorization Reference lists them: actions, resources and condition keys.

Needed until function_roles.py, of which this is a part.
Test: engine/engine/checks/function_roles.py
"""

import json
import re
from urllib.parse import parse_qs, unquote

from ministack.core import iam_actions
from ministack.services import dynamodb, lambda_svc, s3, secretsmanager, ses_v2, stepfunctions

from patches.role_policy import Right

# `#p = :p`, also of a key condition with more parts. Only the partition key is compared with `=` in all of them.
EQUALITY = re.compile(r"([#\w.-]+)\s*=\s*(:\w+)")
WRITES = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem", "Get": "GetItem"}


class Unmapped(Exception):
    """A request whose rights this module does not know."""


class Table:
    """The names in one request's table."""

    def __init__(self, name, place, index=None):
        name = name.rpartition("/")[2]
        table = dynamodb._tables.get(name) or {}
        indexes = table.get("GlobalSecondaryIndexes", []) + table.get("LocalSecondaryIndexes", [])
        schema = next((each["KeySchema"] for each in indexes if each["IndexName"] == index), []) if index else table.get("KeySchema", [])
        self.hash = next((each["AttributeName"] for each in schema if each["KeyType"] == "HASH"), None)
        self.arn = f"arn:aws:dynamodb:{place}:table/{name}" + (f"/index/{index}" if index else "")

    def right(self, action, items, **keys):
        """IAM checks the partition keys of all items of a request together, and of a transaction one by one."""
        leading = [str(next(iter(item[self.hash].values()))) for item in items if self.hash in item]
        return Right(f"dynamodb:{action}", self.arn, {**({"dynamodb:leadingkeys": leading} if leading else {}), **keys})


def rights_of_dynamodb(action, data, place):
    table = lambda of, index=None: Table(of["TableName"], place, index)
    if action in ("GetItem", "UpdateItem", "DeleteItem"):
        return [table(data).right(action, [data["Key"]])]
    if action == "PutItem":
        return [table(data).right(action, [data["Item"]])]
    if action == "Query":
        found = table(data, data.get("IndexName"))
        names, values = data.get("ExpressionAttributeNames", {}), data.get("ExpressionAttributeValues", {})
        compared = {names.get(name, name): values[value] for name, value in EQUALITY.findall(data.get("KeyConditionExpression", ""))}
        return [found.right(action, [compared])]
    if action == "Scan":
        return [table(data, data.get("IndexName")).right(action, [])]
    if action == "BatchGetItem":
        return [Table(name, place).right(action, of["Keys"]) for name, of in data["RequestItems"].items()]
    if action == "BatchWriteItem":
        item = lambda write: write["PutRequest"]["Item"] if "PutRequest" in write else write["DeleteRequest"]["Key"]
        return [Table(name, place).right(action, list(map(item, writes))) for name, writes in data["RequestItems"].items()]
    if action in ("TransactWriteItems", "TransactGetItems"):
        enclosing = {"dynamodb:enclosingoperation": [action]}
        return [
            table(of).right(WRITES[kind], [of["Item"] if kind == "Put" else of["Key"]], **enclosing)
            for item in data["TransactItems"]
            for kind, of in item.items()
        ]
    raise Unmapped


def rights_of_s3(method, path, headers, body, params, _place):
    action = iam_actions._s3_action(method, path, params)
    _, bucket, *rest = path.split("/", 2)
    if action is None or bucket == "":
        raise Unmapped
    key = rest[0] if rest else ""
    resource = f"arn:aws:s3:::{bucket}/{key}" if key else f"arn:aws:s3:::{bucket}"
    extra = iam_actions.s3_additional_checks(method, path, headers, body, params)
    if method == "POST" and "delete" in params:
        rights = [Right("s3:DeleteObject", arn) for arn, _ in iam_actions._s3_batch_delete_targets(bucket, body)]
    else:
        rights = [Right(f"s3:{action}", resource), *(Right(name, arn) for name, arn in extra)]
    # S3 answers 403 instead of 404 for a missing object if the caller may not list the bucket.
    for right in [right for right in rights if right.action == "s3:GetObject"]:
        bucket, _, key = right.resource.removeprefix("arn:aws:s3:::").partition("/")
        if key not in (s3._buckets.get(bucket) or {}).get("objects", {}):
            rights.append(Right("s3:ListBucket", f"arn:aws:s3:::{bucket}"))
    return rights


def rights_of_event_source_mapping(method, uuid, body, place):
    """The function is part of the request, or of the mapping that the request names."""
    if method == "GET":
        return [Right("lambda:ListEventSourceMappings", None)]
    name = json.loads(body)["FunctionName"] if method == "POST" else lambda_svc._esms[uuid]["FunctionArn"]
    arn = name if name.startswith("arn:") else f"arn:aws:lambda:{place}:function:{name}"
    action = {"POST": "Create", "PUT": "Update", "DELETE": "Delete"}[method] + "EventSourceMapping"
    resource = f"arn:aws:lambda:{place}:event-source-mapping:{uuid}" if uuid else None
    return [Right(f"lambda:{action}", resource, {"lambda:functionarn": [arn]})]


def rights_of_lambda(method, path, headers, body, params, place):
    mapping = re.fullmatch(r"/\d{4}-\d\d-\d\d/event-source-mappings/?([^/]*)", path)
    if mapping:
        return rights_of_event_source_mapping(method, mapping[1], body, place)
    parts = re.fullmatch(r"/\d{4}-\d\d-\d\d/functions/([^/]+)/(?:response-streaming-)?invocations", path)
    if method != "POST" or not parts:
        raise Unmapped
    name = unquote(parts[1])
    arn = name if name.startswith("arn:") else f"arn:aws:lambda:{place}:function:{name}"
    qualifier = (params.get("Qualifier") or [""])[0]
    return [Right("lambda:InvokeFunction", f"{arn}:{qualifier}" if qualifier else arn)]


def rights_of_ses(method, path, headers, body, params, place):
    if (method, path) != ("POST", "/v2/email/outbound-emails"):
        raise Unmapped
    data = json.loads(body)
    sender = data["FromEmailAddress"].rpartition("<")[2].rstrip(">")
    # SES sends with the most specific verified identity.
    identity = sender if sender in ses_v2._identities else sender.rpartition("@")[2]
    keys = {"ses:fromaddress": [sender]}
    rights = [Right("ses:SendEmail", f"arn:aws:ses:{place}:identity/{identity}", keys)]
    if set_name := data.get("ConfigurationSetName"):
        rights.append(Right("ses:SendEmail", f"arn:aws:ses:{place}:configuration-set/{set_name}", keys))
    return rights


def rights_of_states(action, data, place):
    machine, execution = data.get("stateMachineArn"), data.get("executionArn")
    states = lambda name, resource, **keys: Right(f"states:{name}", resource, keys)
    if action in ("StartExecution", "DescribeStateMachine", "ListExecutions"):
        return [states(action, machine)]
    if action == "DeleteStateMachine":
        tags = {f"aws:resourcetag/{tag['key']}".lower(): [tag["value"]] for tag in stepfunctions._tags.get(machine) or []}
        return [Right(f"states:{action}", machine, tags)]
    if action in ("DescribeExecution", "StopExecution"):
        return [states(action, execution)]
    if action == "ListTagsForResource":
        return [states(action, data["resourceArn"])]
    if action == "ListStateMachines":
        return [states(action, f"arn:aws:states:{place}:stateMachine:*")]
    if action in ("SendTaskSuccess", "SendTaskFailure", "SendTaskHeartbeat"):
        # The token names the state machine on AWS. The engine's tokens name nothing.
        return [states(action, None)]
    if action == "CreateStateMachine":
        arn = f"arn:aws:states:{place}:stateMachine:{data['name']}"
        rights = [states(action, arn), Right("iam:PassRole", data["roleArn"], {"iam:passedtoservice": ["states.amazonaws.com"]})]
        if data.get("tags"):
            rights.append(states("TagResource", arn))
        if data.get("publish"):
            rights.append(states("PublishStateMachineVersion", arn))
        return rights
    raise Unmapped


def rights_of_kms(action, data, place):
    key = data.get("KeyId") or iam_actions._kms_key_id_from_ciphertext(data.get("CiphertextBlob", ""))
    arn = key if key.startswith("arn:") else f"arn:aws:kms:{place}:key/{key}"
    context = data.get("EncryptionContext") or {}
    return [Right(f"kms:{action}", arn, {f"kms:encryptioncontext:{name}".lower(): [value] for name, value in context.items()})]


def rights_of_sqs(action, data, place):
    return [Right(f"sqs:{action.removesuffix('Batch')}", f"arn:aws:sqs:{place}:{data['QueueUrl'].rstrip('/').rpartition('/')[2]}")]


def rights_of_secretsmanager(action, data, _place):
    _, secret = secretsmanager._resolve(data["SecretId"])
    return [Right(f"secretsmanager:{action}", secret["ARN"] if secret else data["SecretId"])]


def rights_of_cognito(action, data, place):
    # Users call the other operations with their own tokens.
    if not action.startswith("Admin"):
        raise Unmapped
    return [Right(f"cognito-idp:{action}", f"arn:aws:cognito-idp:{place}:userpool/{data['UserPoolId']}")]


def rights_of_sns(action, data, _place):
    keys = {"sns:protocol": [data["Protocol"]], "sns:endpoint": [data["Endpoint"]]} if action == "Subscribe" else {}
    topic = data["SubscriptionArn"].rpartition(":")[0] if action == "Unsubscribe" else data["TopicArn"]
    return [Right(f"sns:{action}", topic, keys)]


def rights_of_events(action, data, place):
    if action == "TestEventPattern":
        return [Right(f"events:{action}", None)]
    bus, name = data.get("EventBusName", "default"), data.get("Name") or data.get("Rule")
    arn = f"arn:aws:events:{place}:rule/{name}" if bus == "default" else f"arn:aws:events:{place}:rule/{bus}/{name}"
    keys = {"events:targetarn": [target["Arn"] for target in data["Targets"]]} if action == "PutTargets" else {}
    rights = [Right(f"events:{action}", arn, keys)]
    return rights + [Right("events:TagResource", arn)] if data.get("Tags") else rights


# Services whose requests are JSON documents with the action in a header.
JSON_SERVICES = {
    "dynamodb": rights_of_dynamodb,
    "states": rights_of_states,
    "kms": rights_of_kms,
    "sqs": rights_of_sqs,
    "secretsmanager": rights_of_secretsmanager,
    "cognito-idp": rights_of_cognito,
    "events": rights_of_events,
}
REST_SERVICES = {"s3": rights_of_s3, "lambda": rights_of_lambda, "ses": rights_of_ses}


def needed_rights(service, request, place):
    """The rights of a request in `region:account`. Throws Unmapped for a request that the product never sends."""
    method, path, headers, body, params = request
    try:
        if service in JSON_SERVICES:
            action = headers["x-amz-target"].rpartition(".")[2]
            return JSON_SERVICES[service](action, json.loads(body), place)
        if service in REST_SERVICES:
            return REST_SERVICES[service](method, path, headers, body, params, place)
        if service == "sns":
            form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
            return rights_of_sns(form["Action"], form, place)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise Unmapped from error
    raise Unmapped
