"""Checks the effects of the patches that have no other file of checks, with the engine's own modules. patches.test.ts runs it."""

import asyncio
import io
import os
import queue
import socket
import sys
import tempfile
import threading
import time
import tracemalloc
import types
import unittest
import unittest.mock
import zipfile

# The engine reads its directories when it is imported.
os.environ.setdefault("STATE_DIR", tempfile.mkdtemp())
CODE_FOLDER = os.environ["SVC_FUNCTION_CODE"] = tempfile.mkdtemp()

import hypercorn.asyncio
from ministack import app
from ministack.core import lambda_runtime
from ministack.services import apigateway_v1, lambda_svc
from ministack.services import dynamodb as ddb

from patches import shared_code
from patches.function_logs import read_logs_at_once
from patches.packed_items import pack_items
from patches.quick_expressions import keep_expressions
from patches.quick_requests import serve_with_uvicorn
from patches.raw_paths import pass_raw_paths
from patches.released_memory import release_memory
from patches.stream_positions import begin_streams_at_zero
from patches.web_pages import KEY, refuse_web_pages

slow_query, slow_set_item = ddb._query, ddb._set_item
SLOW_NAMES = ("_tokenize", "_condition_syntax_error", "_number_size_bytes", "_number_error", "_ddb_canonicalize_number")
slow = {name: getattr(ddb, name) for name in (*SLOW_NAMES, "_attribute_value_size", "_item_size_bytes", "copy")}
shared_code.STORE_AFTER_MS = [10]

pack_items()
keep_expressions()
read_logs_at_once(lambda_runtime)
shared_code.share_code(lambda_runtime)
begin_streams_at_zero(lambda_svc)
pass_raw_paths(app)
serve_with_uvicorn()

KEYS = {"AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "state")]}
KEYS["KeySchema"] = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
INDEX = {"IndexName": "states", "Projection": {"ProjectionType": "ALL"}}
INDEX["KeySchema"] = [{"AttributeName": "state", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]


def item(number, state="ended"):
    job = {"pk": {"S": f"job{number}"}, "sk": {"S": f"{number:06}"}, "state": {"S": state}}
    return {**job, **{f"field{at}": {"M": {"text": {"S": f"{number} {at}"}, "size": {"N": str(at)}}} for at in range(20)}}


class Items(unittest.TestCase):
    def setUp(self):
        ddb._create_table({**KEYS, "TableName": self.id(), "GlobalSecondaryIndexes": [INDEX], "BillingMode": "PAY_PER_REQUEST"})
        self.table = ddb._tables[self.id()]

    def put(self, number, set_item=None):
        (set_item or ddb._set_item)(self.table, f"job{number}", f"{number:06}", item(number))

    def memory_of(self, set_item):
        tracemalloc.start()
        for number in range(500):
            self.put(number, set_item)
        used = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return used

    def test_an_item_needs_a_fraction_of_the_memory(self):
        packed = self.memory_of(None)
        self.table["items"] = {f"job{number}": {} for number in range(500)}
        self.assertLess(packed * 4, self.memory_of(slow_set_item))

    def test_a_page_of_an_index_costs_the_same_in_a_large_partition(self):
        for number in range(5_000):
            self.put(number)
        condition = {"KeyConditionExpression": "#s = :s AND sk > :k", "ExpressionAttributeNames": {"#s": "state"}}
        values = {":s": {"S": "ended"}, ":k": {"S": "002000"}}
        request = {"TableName": self.id(), "IndexName": "states", "Limit": 10, **condition, "ExpressionAttributeValues": values}
        answers, seconds = [], []
        for query in (ddb._query, slow_query):
            # The first query builds the index.
            query(request)
            started = time.perf_counter()
            answers.append(query(request)[2])
            seconds.append(time.perf_counter() - started)
        self.assertIn(b"002010", answers[0])
        self.assertLess(seconds[0] * 5, seconds[1])


VALUES = [{"S": ""}, {"S": "aé\U0001f600"}, {"N": "-12.50"}, {"N": "1e3"}, {"BOOL": True}, {"NULL": True}, {"B": "YWI="}, {"SS": ["é"]}]
VALUES += [{"M": {"é": {"L": [{"M": {}}, *VALUES]}}}, {"L": []}, {"S": 1}, {"N": ["1"]}, {"M": 1}, {"S": "a", "N": "1"}, {}, None, "a"]


def count_calls(work):
    """Counts the calls of functions, which measure the work without a clock."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def size_or_error(size_of, value):
    try:
        return size_of(value)
    except Exception as error:
        return type(error)


def slow_size_or_error(name, value):
    with unittest.mock.patch.multiple(ddb, **slow):
        return size_or_error(slow[name], value)


class Expressions(unittest.TestCase):
    def setUp(self):
        ddb._create_table({**KEYS, "TableName": self.id(), "GlobalSecondaryIndexes": [INDEX], "BillingMode": "PAY_PER_REQUEST"})
        self.key = {"pk": {"S": "job1"}, "sk": {"S": "000001"}}
        ddb._put_item({"TableName": self.id(), "Item": item(1)})

    def update(self, number):
        names = {"#a": "field1", "#n": "count", "#s": "state", "#g": "field2"}
        values = {":a": {"M": {"text": {"S": str(number)}}}, ":0": {"N": "0"}, ":1": {"N": "1"}, ":s": {"S": "ended"}}
        expression = {"UpdateExpression": "SET #a = :a, #n = if_not_exists(#n, :0) + :1 REMOVE #g"}
        condition = {"ConditionExpression": "attribute_exists(pk) AND (#s = :s OR #n > :1)"}
        more = {"Key": self.key, "ReturnValues": "ALL_NEW", "ReturnConsumedCapacity": "INDEXES"}
        request = {"TableName": self.id(), **expression, **condition, **more}
        status, _, body = ddb._update_item({**request, "ExpressionAttributeNames": names, "ExpressionAttributeValues": values})
        self.assertEqual(status, 200, body)
        return body

    def test_an_update_has_the_same_response_and_costs_less(self):
        answers, calls = [], []
        for functions in ({"copy": ddb.copy}, slow):
            ddb._put_item({"TableName": self.id(), "Item": item(1)})
            with unittest.mock.patch.multiple(ddb, **functions):
                answers.append([self.update(number) for number in range(20)])
                calls.append(count_calls(lambda: [self.update(number) for number in range(200)]))
        self.assertEqual(answers[0], answers[1])
        self.assertLess(calls[0] * 1.3, calls[1])

    def test_every_value_has_the_same_size(self):
        for value in VALUES:
            for name in ("_attribute_value_size", "_number_size_bytes", "_number_error", "_ddb_canonicalize_number"):
                content = next(iter(value.values())) if isinstance(value, dict) and "number" in name and value else value
                with self.subTest(name, value=content):
                    self.assertEqual(size_or_error(getattr(ddb, name), content), slow_size_or_error(name, content))
        whole = {f"é{at}": value for at, value in enumerate(VALUES) if isinstance(value, dict)}
        for value in (whole, None, []):
            self.assertEqual(size_or_error(ddb._item_size_bytes, value), slow_size_or_error("_item_size_bytes", value))

    def test_a_copy_shares_nothing_with_its_original(self):
        original = {"M": {"a": {"L": [{"S": "x"}]}}}
        for value in (original, [original], ddb._tables[self.id()]["items"]["job1"]):
            copied = ddb.copy.deepcopy(value)
            self.assertEqual(copied, value)
            self.assertIsNot(copied, value)
        copied = ddb.copy.deepcopy(original)
        copied["M"]["a"]["L"].append(1)
        self.assertEqual(original, {"M": {"a": {"L": [{"S": "x"}]}}})


class Requests(unittest.TestCase):
    def test_a_request_for_dynamodb_passes_the_protocol_only_and_every_response_is_one_packet(self):
        passed = []

        async def application(scope, receive, send):
            if scope["type"] == "http":
                passed.append(scope["path"])
                await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
                await send({"type": "http.response.body", "body": b"hello"})

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = types.SimpleNamespace(bind=[f"127.0.0.1:{port}"], keep_alive_timeout=5, graceful_timeout=1)
        server = threading.Thread(target=lambda: asyncio.run(hypercorn.asyncio.serve(application, config)), daemon=True)
        with unittest.mock.patch("uvicorn.Server.capture_signals", lambda self: unittest.mock.MagicMock()):
            server.start()
            connection = connect(port)
        self.addCleanup(connection.close)
        headers = "Host: localhost\r\nAuthorization: AWS4-HMAC-SHA256 Credential=test/1/us-east-1/dynamodb/aws4_request\r\n"
        target = "X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n"
        connection.sendall(f"POST / HTTP/1.1\r\n{headers}{target}\r\n{{}}".encode())
        self.assertRegex(connection.recv(1 << 20), rb'(?s)^HTTP/1.1 200 .*\r\n\r\n\{"TableNames":')
        self.assertEqual(passed, [])
        connection.sendall(f"GET /other HTTP/1.1\r\n{headers}\r\n".encode())
        self.assertRegex(connection.recv(1 << 20), rb"(?s)^HTTP/1.1 200 .*\r\n\r\nhello$")
        self.assertEqual(passed, ["/other"])

    def test_a_path_reaches_a_rest_api_as_it_was_sent(self):
        paths = []

        async def execute(api, stage, method, path, *_):
            paths.append((stage, path))
            return 200, {}, b""

        with unittest.mock.patch.multiple(apigateway_v1, find_api_scope=lambda _: ("000000000000", "us-east-1"), handle_execute=execute):
            path = "/_aws/execute-api/a1/api/f"
            request = ("localhost", f"{path}/a b%2F", "GET", {}, b"", {})
            asyncio.run(app._handle_execute_api_request(*request, raw_path=f"{path}/a%20b%252F"))
        self.assertEqual(paths, [("api", "/f/a%20b%252F")])

    def test_web_pages_are_refused(self):
        async def application(scope, receive, send):
            await send({"type": "http.response.start", "status": 200})

        def status(**headers):
            sent = []

            async def send(message):
                sent.append(message)

            pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
            asyncio.run(refuse_web_pages(application, "k")({"type": "http", "headers": pairs}, None, send))
            return sent[0]["status"]

        self.assertEqual(status(host="localhost:4566"), 200)
        self.assertEqual(status(host="localhost:4566", origin="https://example.com"), 403)
        self.assertEqual(status(host="localhost:4566", sec_fetch_site="cross-site"), 403)
        self.assertEqual(status(host="rebound.example.com"), 403)
        self.assertEqual(status(host="localhost:4566", origin="https://example.com", **{KEY: "k"}), 200)


class Functions(unittest.TestCase):
    def tearDown(self):
        lambda_runtime.reset()

    def test_processes_of_a_function_share_its_code_and_what_v8_compiles(self):
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as file:
            file.writestr("index.mjs", 'export const handler = async () => [import.meta.url, process.env.SVC_FUNCTION_CODE ?? "hidden"];')
        name = "arn:aws:lambda:us-east-1:000000000000:function:echo"
        config = {"FunctionName": "echo", "FunctionArn": name, "Runtime": "nodejs24.x", "Handler": "index.handler", "Timeout": 30}
        answers = []
        for _ in range(2):
            worker = lambda_runtime.Worker("echo", config, code.getvalue())
            answers.append(worker.invoke({}, "request")["result"])
            wait_until(lambda: os.listdir(os.path.join(CODE_FOLDER, "compiled")))
            worker.kill()
        self.assertEqual(answers[0], answers[1])
        self.assertTrue(os.path.realpath(answers[0][0].removeprefix("file://")).startswith(os.path.realpath(CODE_FOLDER)), answers)
        self.assertEqual(answers[0][1], "hidden")

    def test_the_log_of_a_call_is_read_without_a_pause(self):
        worker = lambda_runtime.Worker("echo", {}, b"")
        seconds = []
        for _ in range(20):
            worker._stderr_queue = queue.Queue()
            for line in ("one", "two"):
                worker._stderr_queue.put(line)
            started = time.perf_counter()
            self.assertEqual(worker._drain_stderr_bounded(), "one\ntwo")
            seconds.append(time.perf_counter() - started)
        # The engine's pause has 5 ms.
        self.assertLess(min(seconds), 0.004)

    def test_a_stream_is_read_from_its_start_after_a_restart(self):
        key = ("000000000000", "us-east-1", "mapping")
        for positions, expected in ((lambda_svc._dynamodb_stream_positions, 0), (lambda_svc._kinesis_positions, 40)):
            lambda_svc._restore_esm_positions(positions, {key: 40})
            self.assertEqual(positions._data[key], expected)


class Memory(unittest.TestCase):
    @unittest.skipUnless(sys.platform == "linux", "other systems have no such call")
    def test_memory_of_a_burst_is_returned(self):
        burst = [os.urandom(2_000) for _ in range(50_000)]
        used = [burst.pop()]
        del burst
        before = resident_mb()
        release_memory()
        self.assertLess(resident_mb(), before - 50)
        self.assertEqual(len(used[0]), 2_000)


def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def connect(port):
    found = []

    def is_open():
        try:
            found.append(socket.create_connection(("127.0.0.1", port), timeout=10))
        except ConnectionRefusedError:
            return False
        return True

    wait_until(is_open)
    return found[0]


def wait_until(is_true):
    deadline = time.monotonic() + 20
    while not is_true():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.02)


unittest.main()
