import { pythonLanguage } from "@codemirror/lang-python";
import { describe, expect, it } from "vitest";
import { findPythonErrors } from "./python.ts";

const errorsOf = (text: string) => findPythonErrors(pythonLanguage.parser.parse(text));

describe("the syntax errors of Python", () => {
  it.each([
    ["def main(a:\n    return 1\n", 16],
    ["def main(a):\n    x = (1 +\n", 26],
    ["def main():\nreturn 1\n", 12],
    ["class A\n    pass\n", 7],
    ["print('a", 8],
  ])("of %j begin at %i", (text, from) => {
    expect(errorsOf(text)).toEqual([{ from, to: from }]);
  });

  it.each([
    "def main(a: str, *, b: int = 1) -> dict:\n    return {'a': a, **{'b': b}}\n",
    "def lines():\n    yield\n    yield 1\n",
    "match a:\n    case str() | bytes():\n        pass\n",
    "async def main():\n    async with a as b, c:\n        return [x async for x in b if (y := x)]\n",
    "@decorator(1)\nclass A(B, metaclass=C):\n    x: int = 0\n    def f(self, /, a): ...\n",
  ])("are none in %j", (text) => {
    expect(errorsOf(text)).toEqual([]);
  });
});
