"""Gives each function the rights of its role, as AWS does. By default, the engine gives every function all rights of the account.

A function signs its requests with an access key that names it. The engine checks no signatures, so this protects from mistakes in the
template, not from attacks. Presigned URLs contain the key of the function that signed them. Other keys have all rights: deployments and tests
use them.

Needed until the engine's own AUTH=true, which gives functions the rights of their roles since MiniStack's pull request 1683, refuses what
the checks of this patch refuse. Nobody has compared them yet.
Test: engine/engine/checks/function_roles.py
"""

import json

from patches.needed_rights import Unmapped, needed_rights
from patches.role_policy import Policy, Right, as_list

# The file below the engine's working directory that lists refused requests, one JSON object per line. Tests fail if there are any.
DENIED_FILE = "denied-requests.jsonl"

KEY_PREFIX = "function."
# AWS allows these calls whatever the policies are.
ALWAYS = {"AWSSecurityTokenServiceV20110615.GetCallerIdentity"}


def key_of(function_name):
    return KEY_PREFIX + function_name


def with_secret_arns(document):
    """The engine replaces a reference to a secret by its name, where AWS puts the ARN, which ends in six random characters."""
    parsed = json.loads(document)
    for statement in as_list(parsed["Statement"]):
        if statement.get("Action") == "secretsmanager:GetSecretValue":
            named = lambda text: text if text.startswith("arn:") else f"arn:aws:secretsmanager:*:*:secret:{text}-??????"
            statement["Resource"] = [named(text) for text in as_list(statement["Resource"])]
    return parsed


class Roles:
    """The compiled policies of functions, which are replaced when a deployment replaces their documents."""

    def __init__(self, functions, roles):
        self.functions = functions
        self.roles = roles
        self.compiled = {}

    def policy_of(self, function_name):
        function = self.functions.get(function_name)
        # A deleted function no longer has rights, and neither do the URLs that it signed.
        role = self.roles.get(function["config"]["Role"].rpartition("/")[2]) if function else None
        documents = tuple(role["InlinePolicies"].values()) if role else ()
        known = self.compiled.get(function_name)
        if known is None or known[0] != documents:
            known = self.compiled[function_name] = (documents, Policy(map(with_secret_arns, documents)))
        return known[1]


def sentence(function_name, description, right):
    keys = "".join(f", {key} {', '.join(values)}" for key, values in right.keys.items())
    return (
        f"The function {function_name} ({description}) called {right.action} on {right.resource or '*'}{keys}, "
        f"and its role does not allow that. Grant the right in lib/, or do not send the request."
    )


def record_denial(function_name, description, right):
    text = sentence(function_name, description, right)
    entry = {"function": description, "action": right.action, "resource": right.resource, "keys": right.keys, "sentence": text}
    with open(DENIED_FILE, "a") as file:
        file.write(json.dumps(entry) + "\n")


def refused_right(roles, function_name, service, request, place):
    """The first right that a function lacks for a request, or None."""
    policy = roles.policy_of(function_name)
    try:
        rights = needed_rights(service, request, place)
    except Unmapped:
        method, path, headers, *_ = request
        # Fails closed: a new kind of request needs its rights in needed_rights.py first.
        return Right(f"{service}:{headers.get('x-amz-target', '').rpartition('.')[2] or f'{method} {path}'}", None)
    for right in rights:
        if not policy.allows(right):
            return right
    return None


def guard_requests(app, roles):
    """Refuses requests before they reach their service. Requests for DynamoDB are handled elsewhere (quick_requests.py)."""
    from ministack.core.iam_actions import access_denied_response
    from ministack.core.responses import fix_error_content_type, get_account_id
    from ministack.core.router import detect_service, extract_access_key_id, extract_region

    def refusal(service, request, request_id):
        method, _, headers, _, query_params = request
        function_name = extract_access_key_id(headers, query_params).removeprefix(KEY_PREFIX)
        account = get_account_id()
        right = refused_right(roles, function_name, service, request, f"{extract_region(headers, query_params)}:{account}")
        if right is None:
            return None
        function = roles.functions.get(function_name)
        record_denial(function_name, (function or {"config": {}})["config"].get("Description", "deleted"), right)
        principal = f"arn:aws:sts::{account}:assumed-role/{function_name}"
        status, sent, body = access_denied_response(
            service, right.action, principal, request_id, headers=headers, resource_arn=right.resource or "*"
        )
        fix_error_content_type(service, status, sent)
        return status, sent, b"" if method == "HEAD" else body

    def is_function(headers, query_params):
        return extract_access_key_id(headers, query_params).startswith(KEY_PREFIX) and headers.get("x-amz-target") not in ALWAYS

    route, answer_dynamodb = app._handle_post_body_shortcuts, app.SERVICE_HANDLERS["dynamodb"]

    async def guarded_route(*request_and_id):
        *request, request_id = request_and_id
        method, path, headers, _, query_params = request
        if is_function(headers, query_params):
            service = detect_service(method, path, headers, query_params)
            refused = None if service == "dynamodb" else refusal(service, request, request_id)
            if refused:
                return refused
        return await route(*request_and_id)

    async def guarded_dynamodb(*request):
        _, _, headers, _, query_params = request
        refused = refusal("dynamodb", request, "") if is_function(headers, query_params) else None
        return refused or await answer_dynamodb(*request)

    app._handle_post_body_shortcuts = guarded_route
    app.SERVICE_HANDLERS["dynamodb"] = guarded_dynamodb


def identify_functions(lambda_runtime, lambda_svc):
    """Functions get their keys in their environment when their process starts."""
    original = lambda_runtime.execution_credentials

    def credentials(config):
        return {**original(config), "AWS_ACCESS_KEY_ID": key_of(config["FunctionName"])}

    lambda_runtime.execution_credentials = credentials
    lambda_svc.execution_credentials = credentials


def accept_keys(iam_evaluator):
    """S3 verifies presigned URLs also without AUTH. All keys have the secret of the account."""
    is_root = iam_evaluator.is_root_access_key
    iam_evaluator.is_root_access_key = lambda key: is_root(key) or key.startswith(KEY_PREFIX)


def enforce_roles():
    from ministack import app
    from ministack.core import iam_evaluator, lambda_runtime
    from ministack.services import iam, lambda_svc

    guard_requests(app, Roles(lambda_svc._functions, iam._roles))
    accept_keys(iam_evaluator)
    identify_functions(lambda_runtime, lambda_svc)
