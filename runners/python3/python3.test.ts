import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Runner, startRunner } from "../conformance/harness.ts";
import type { Script } from "../conformance/service.ts";

let runner: Runner;
beforeAll(async () => {
  runner = await startRunner("python3");
});
afterAll(() => runner.close());

async function resultOf(script: Script): Promise<unknown> {
  const outcome = await runner.run(script);
  expect(outcome).toMatchObject({ outcome: "success" });
  return outcome.result;
}

async function errorOf(script: Script) {
  const outcome = await runner.run(script);
  expect(outcome.outcome).toBe("failure");
  return outcome.error;
}

describe("arguments of a Python script", () => {
  it("arguments are passed by name; a missing one is the default or None", async () => {
    const code = "def main(a, b, c=3, *, d, e=5):\n    return [a, b, c, d, e]";
    expect(await resultOf({ code, args: { b: 2, e: 6 } })).toEqual([null, 2, 3, null, 6]);
  });

  it("null arguments become the default", async () => {
    const code = "def main(a, b=2):\n    return [a, b]";
    expect(await resultOf({ code, args: { a: null, b: null } })).toEqual([null, 2]);
  });

  it("undeclared arguments are dropped, unless the function takes **kwargs", async () => {
    expect(await resultOf({ code: "def main(a):\n    return a", args: { a: 1, stray: 2 } })).toBe(1);
    expect(await resultOf({ code: "def main(a, **rest):\n    return rest", args: { a: 1, more: 2, none: null } })).toEqual({
      more: 2,
      none: null,
    });
  });

  it("positional-only parameters receive their arguments", async () => {
    expect(await resultOf({ code: "def main(a, b=2, /, c=3):\n    return [a, b, c]", args: { a: 1, c: 4 } })).toEqual([1, 2, 4]);
  });

  it.each([
    ["datetime", "2024-02-03T04:05:06Z", "2024-02-03T04:05:06+00:00"],
    ["datetime", "2024-02-03T04:05:06.5+0130", "2024-02-03T04:05:06.500000+01:30"],
    ["datetime", "2024-02-03", "2024-02-03T00:00:00"],
    ["Optional[datetime]", "2024-02-03 04:05", "2024-02-03T04:05:00"],
    ["datetime | None", "2024-02-03T04:05:06", "2024-02-03T04:05:06"],
    ["date", "2024-02-03T04:05:06Z", "2024-02-03"],
    ["Annotated[datetime, 'when']", "2024-02-03T04:05:06", "2024-02-03T04:05:06"],
    ["Optional['datetime']", "2024-02-03T04:05:06", "2024-02-03T04:05:06"],
    ["bytes", "aGk=", "b'hi'"],
    ["Optional[bytes]", "aGk", "b'hi'"],
  ])("arguments with annotation %s are parsed", async (annotation, sent, got) => {
    const head = "from datetime import datetime, date\nfrom typing import Annotated, Optional\n";
    const body = `def main(v: ${annotation}):\n    return v.isoformat() if hasattr(v, "isoformat") else repr(v)`;
    expect(await resultOf({ code: head + body, args: { v: sent } })).toBe(got);
    expect(await resultOf({ code: `from __future__ import annotations\n${head}${body}`, args: { v: sent } })).toBe(got);
  });

  it("annotations whose names exist only for a type checker are applied", async () => {
    const code = [
      "from __future__ import annotations",
      "from typing import TYPE_CHECKING",
      "if TYPE_CHECKING:",
      "    from datetime import datetime",
      "    from nowhere import Thing",
      "def main(when: Optional[datetime], thing: Thing):",
      "    return [type(when).__name__, thing]",
    ].join("\n");
    expect(await resultOf({ code, args: { when: "2024-02-03T04:05:06Z", thing: "x" } })).toEqual(["datetime", "x"]);
  });

  it("an argument remains text if the annotation allows text", async () => {
    const code = "from datetime import datetime\nfrom typing import Union\ndef main(v: Union[datetime, str]):\n    return v";
    expect(await resultOf({ code, args: { v: "2024-02-03" } })).toBe("2024-02-03");
  });

  it("an argument that cannot be parsed fails the run and is named", async () => {
    const code = "from datetime import datetime\ndef main(when: datetime):\n    return 1";
    expect(await errorOf({ code, args: { when: "soon" } })).toMatchObject({
      name: "ArgumentError",
      message: 'The argument "when" does not fit the type datetime: "so…" (4 characters) is no date and time in ISO 8601.',
    });
  });
});

describe("results of a Python script", () => {
  it.each([
    ["None", null],
    ["True", true],
    ["1.5", 1.5],
    ["'NaN'", "NaN"],
    ["'é𝄞'", "é𝄞"],
    ["(1, (2, 3))", [1, [2, 3]]],
    ["[float('nan'), float('inf'), -float('inf')]", [null, null, null]],
    ["2**53 - 1", 9007199254740991],
    ["[2**53, -2**53, 2**53 + 1, 10**30]", [2 ** 53, -(2 ** 53), 2n ** 53n + 1n, 10n ** 30n]],
    ["{1: 'a', 2.5: 'b', False: 'c', None: 'd', (1, 2): 'e'}", { 1: "a", 2.5: "b", false: "c", null: "d", "(1, 2)": "e" }],
    ["[Decimal('1.10'), Decimal('3'), Decimal('0.1000000000000000000001'), Decimal('NaN')]", [1.1, 3, "0.1000000000000000000001", null]],
    ["datetime(2024, 2, 3, 4, 5, 6)", "2024-02-03T04:05:06"],
    ["[datetime(2024, 2, 3).date(), timedelta(minutes=1)]", ["2024-02-03", 60]],
    ["b'hi'", "aGk="],
    ["{3, 1, 2}", [1, 2, 3]],
    ["UUID(int=1)", "00000000-0000-0000-0000-000000000001"],
    ["Point(1, Colour.RED)", { x: 1, colour: "red" }],
    ["Model()", { a: [1] }],
    ["[Scalar(), Vector(), DataFrame()]", [7, [1, 2], [{ a: 1 }]]],
    ["range(3)", [0, 1, 2]],
    ["(n * n for n in range(3))", "014"],
    ["{'d': {}.keys(), 'v': {'a': 1}.values()}", { d: [], v: [1] }],
    ["'\\ud800'", "\ufffd"],
  ])("the result %s becomes the expected JSON", async (expression, expected) => {
    const code = `
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from uuid import UUID

class Colour(Enum):
    RED = "red"

@dataclass
class Point:
    x: int
    colour: Colour

class Model:
    def model_dump(self):
        return {"a": (1,)}

class Scalar:
    def item(self):
        return 7

class Vector:
    def tolist(self):
        return [1, 2]

class DataFrame:
    def to_dict(self, orient="dict"):
        assert orient == "records"
        return [{"a": 1}]

def main():
    return ${expression}
`;
    expect(await resultOf({ code })).toEqual(expected);
  });

  it("coroutines are awaited, and the items of a generator are streamed and collected", async () => {
    expect(await resultOf({ code: "import asyncio\nasync def main(a):\n    await asyncio.sleep(0)\n    return a", args: { a: 1 } })).toBe(
      1,
    );
    expect(await resultOf({ code: "def main():\n    yield 1\n    yield 'two'" })).toEqual("1two");
    expect(await resultOf({ code: "async def main():\n    yield 1\n    yield 2" })).toEqual("12");
  });

  it.each([
    ["{'a': {'b': print}}", 'The result cannot be converted to JSON: result["a"]["b"] is a function'],
    ["[1, lambda: 2]", "The result cannot be converted to JSON: result[1] is a function"],
    ["int", "The result cannot be converted to JSON: result is a class"],
    ["{'a': object()}", 'The result cannot be converted to JSON: result["a"] is an object of class object'],
    ["{'a': {1: 'a', '1': 'b'}}", 'The result cannot be converted to JSON: result["a"] has two keys that are the same text "1"'],
    ["{True: 1, 'true': 2}", 'The result cannot be converted to JSON: result has two keys that are the same text "true"'],
    ["{None: 1, float('nan'): 2}", 'The result cannot be converted to JSON: result has two keys that are the same text "null"'],
    ["{(1, 2): 1, '(1, 2)': 2}", 'The result cannot be converted to JSON: result has two keys that are the same text "(1, 2)"'],
    ["loop", 'The result cannot be converted to JSON: result["a"][0] refers back to result'],
    ["deep", "The result cannot be converted to JSON: it is nested more than 400 levels deep"],
  ])("the error names the part that cannot be converted to JSON: %s", async (expression, message) => {
    const code = `loop = {"a": []}\nloop["a"].append(loop)\ndeep = []\nfor _ in range(5000):\n    deep = [deep]\ndef main():\n    return ${expression}`;
    expect(await errorOf({ code })).toEqual({ name: "ResultError", message });
  });

  it("a result may contain the same value twice", async () => {
    expect(await resultOf({ code: "def main():\n    a = [1]\n    return [a, a, {'a': a}]" })).toEqual([[1], [1], { a: [1] }]);
  });

  it("a result beyond the inline limit is uploaded", async () => {
    const request = runner.request({ code: "def main():\n    return {'text': 'é' * 50_000}" });
    const outcome = await runner.send(request);
    const stored = runner.uploads.get(request.job);
    expect(outcome).toMatchObject({ outcome: "success", resultUploaded: { bytes: 100_011 } });
    expect(outcome.result).toBeUndefined();
    expect(stored?.type).toBe("application/json");
    expect(JSON.parse(stored?.body ?? "")).toEqual({ text: "é".repeat(50_000) });
  });

  it("a result beyond the limit fails the run, and the error names the limit", async () => {
    expect(await errorOf({ code: "def main():\n    return 'x' * 3_000_000", maxResultBytes: 1024 * 1024 })).toEqual({
      name: "ResultTooLarge",
      message: "The result is larger than the limit of 1 MB. Store large data as a file and return a reference to it.",
    });
  });
});

describe("the function of a script", () => {
  it("a missing function fails the run, and the error lists the defined functions", async () => {
    expect(await errorOf({ code: "import json\ndef other():\n    pass\ndef another():\n    pass" })).toEqual({
      name: "EntrypointError",
      message: "The script does not define a function 'main'. It defines: other, another.",
    });
    expect((await errorOf({ code: "x = 1" }))?.message).toBe("The script does not define a function 'main'. It defines no function.");
  });

  it("the request selects the function", async () => {
    expect(await resultOf({ code: "def main():\n    return 1\ndef second(a):\n    return a", entrypoint: "second", args: { a: 2 } })).toBe(
      2,
    );
  });

  it.each(["system", "Popen", "helper", "_private", "__setattr__", "__class__"])(
    "the request cannot select %s, which the script does not define for callers",
    async (entrypoint) => {
      const code =
        "from os import system\nfrom subprocess import Popen\nfrom f.ops.shared import helper\ndef main():\n    return 1\ndef _private(**rest):\n    return rest";
      const files = { "f/ops/shared.py": "def helper(**rest):\n    return rest" };
      const args = { command: "touch stolen", args: "touch stolen", shell: true, name: "main", value: 1 };
      expect(await errorOf({ code, files, entrypoint, args })).toEqual({
        name: "EntrypointError",
        message: `The script does not define a function '${entrypoint}'. It defines: main.`,
      });
    },
  );

  it("a script can import other scripts by path, and packages", async () => {
    const outcome = await runner.run({
      code: "from f.ops.shared import double\nfrom .shared import half\nimport colours\ndef main():\n    return [double(2), half(2), colours.RED]",
      files: { "f/ops/shared.py": "def double(n):\n    return n * 2\ndef half(n):\n    return n / 2" },
      deps: { "colours/__init__.py": "RED = 'red'" },
    });
    expect(outcome.result).toEqual([4, 1, "red"]);
  });

  it("a script file may have a name that is not an identifier or is the name of a standard module", async () => {
    expect(await resultOf({ code: "def main():\n    return __name__", path: "u/ann/my-script" })).toBe("u.ann.my-script");
    expect(await resultOf({ code: "import json\ndef main():\n    return json.loads('[1]')", path: "json" })).toEqual([1]);
  });
});

describe("errors of a Python script", () => {
  it("an error contains class, message, and a stack with the user's files and lines", async () => {
    const error = await errorOf({
      code: "from f.ops.shared import check\nclass Refused(Exception):\n    pass\ndef main():\n    try:\n        check()\n    except KeyError as error:\n        raise Refused('not today') from error",
      files: { "f/ops/shared.py": "def check():\n    return {}['key']" },
    });
    expect(error).toMatchObject({ name: "Refused", message: "not today" });
    expect(error?.stack).toContain('File "f/ops/hello.py", line 8, in main');
    expect(error?.stack).toContain('File "f/ops/shared.py", line 2, in check');
    expect(error?.stack).toContain("The above exception was the direct cause of the following exception");
    expect(error?.stack).toContain("KeyError: 'key'");
    expect(error?.stack).not.toMatch(/svc_host|artefacts|importlib|\/tmp/);
  });

  it("an error in an async function omits the frames of the event loop", async () => {
    const error = await errorOf({ code: "async def main():\n    raise ValueError('x')" });
    expect(error?.stack).toMatch(/^Traceback \(most recent call last\):\n {2}File "f\/ops\/hello\.py", line 2, in main\n/);
  });

  it.each([
    ["loop = {'code': 7}\n    loop['self'] = loop\n    raise ValueError(loop)", "{'code': 7, 'self': {...}}"],
    [
      "deep = []\n    for _ in range(100_000):\n        deep = [deep]\n    raise ValueError('too far', deep)",
      "'too far', [[[[[[[...]]]]]]]",
    ],
    ["raise Broken('reason', 7)", "'reason', 7"],
    ["raise ValueError(None)", "None"],
  ])("an error keeps what can be shown of its message: %s", async (body, message) => {
    const code = `class Broken(Exception):\n    def __str__(self):\n        raise RuntimeError()\ndef main():\n    ${body}`;
    const error = await errorOf({ code });
    expect(error).toMatchObject({ name: expect.stringMatching(/ValueError|Broken/), message });
    expect(error?.stack).toContain("in main");
  });

  it("an error that occurs while the script loads is reported", async () => {
    const syntax = await errorOf({ code: "def main():\n    return 1\n\nx = = 2" });
    expect(syntax).toMatchObject({ name: "SyntaxError", message: expect.stringContaining("line 4") });
    expect(syntax?.stack).toContain('File "f/ops/hello.py", line 4');
    const missing = await errorOf({ code: "import no_such_package\ndef main():\n    return 1" });
    expect(missing).toMatchObject({ name: "ModuleNotFoundError", message: "No module named 'no_such_package'" });
    expect(missing?.stack).toMatch(/^Traceback \(most recent call last\):\n {2}File "f\/ops\/hello\.py", line 1, in <module>\n/);
    const name = await errorOf({ code: "from f.ops.shared import nothing", files: { "f/ops/shared.py": "" } });
    expect(name?.message).toBe("cannot import name 'nothing' from 'f.ops.shared' (f/ops/shared.py)");
  });

  it("endless recursion is an error, and huge messages are cut", async () => {
    expect(await errorOf({ code: "def main():\n    return main()" })).toMatchObject({ name: "RecursionError" });
    const huge = await errorOf({ code: "def main():\n    raise Exception('x' * 10_000_000)" });
    expect(huge?.message.length).toBeLessThan(40_000);
  });

  it.each([
    ["sys.exit()", { outcome: "success", result: null }],
    ["exit(0)", { outcome: "success", result: null }],
    ["sys.exit(3)", { outcome: "failure", error: { name: "SystemExit", message: "The script called sys.exit(3).", exit_code: 3 } }],
    ["sys.exit('broken')", { outcome: "failure", error: { name: "SystemExit", message: "broken", exit_code: 1 } }],
    ["os._exit(4)", { outcome: "failure", error: { name: "ExitError", exit_code: 4 } }],
    ["os._exit(0)", { outcome: "failure", error: { name: "ExitError", exit_code: 0 } }],
    ["os.kill(os.getpid(), signal.SIGSEGV)", { outcome: "failure", error: { name: "ExitError", signal: "SIGSEGV" } }],
    ["os.kill(os.getpid(), signal.SIGKILL)", { outcome: "failure", error: { name: "ExitError", signal: "SIGKILL" } }],
  ])("the statement %s ends the run with the expected outcome", async (statement, expected) => {
    expect(await runner.run({ code: `import os, signal, sys\ndef main():\n    ${statement}\n    return 1` })).toMatchObject(expected);
  });

  it("a failure of the runner itself names the cause", async () => {
    const request = runner.request({ code: "def main():\n    return 'never'" });
    const other = { ...request.artefact, sha256: "0".repeat(64) };
    expect((await runner.send({ ...request, artefact: other })).error).toEqual({
      name: "ArtefactError",
      message: "The artefact is damaged: its SHA-256 is not the expected one.",
    });
    const gone = { ...request.artefact, sha256: "1".repeat(64), url: `${runner.origin}/artefacts/gone?secret-signature` };
    expect((await runner.send({ ...request, artefact: gone })).error?.message).toBe("The artefact could not be downloaded: HTTP 404.");
  });

  it("an artefact that writes outside its folder is rejected", async () => {
    expect(await errorOf({ code: "def main():\n    return 1", files: { "../../../escaped.py": "x" } })).toEqual({
      name: "ArtefactError",
      message: "The artefact contains a path outside its directory: scripts/../../../escaped.py",
    });
  });
});

describe("the preprocessor of a Python script", () => {
  const event = { kind: "webhook", raw_string: '{"n":1}', query: { a: "b" }, headers: {} };
  const preprocessor = { params: null };

  it.each([
    ["'text'", "text"],
    ["(1, 2)", [1, 2]],
    ["None", null],
  ])("a preprocessor that returns %s, no object, passes a value to main", async (value, expected) => {
    const code = `async def preprocessor(event):\n    return ${value}\ndef main(value):\n    return value`;
    expect(await resultOf({ code, args: { event }, preprocessor })).toEqual(expected);
  });

  it("the error names a preprocessor that is missing or returns too much", async () => {
    const missing = await errorOf({ code: "def main():\n    pass", args: { event }, preprocessor });
    expect(missing?.message).toContain("The preprocessor failed: The script does not define a function 'preprocessor'");
    const large = "def preprocessor():\n    return 'x' * 3_000_000\ndef main():\n    pass";
    const error = await errorOf({ code: large, args: { event }, preprocessor, maxInlineResultBytes: 1 << 20 });
    expect(error).toMatchObject({ name: "ResultTooLarge" });
  });
});
