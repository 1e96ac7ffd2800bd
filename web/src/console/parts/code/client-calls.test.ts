import { expect, it } from "vitest";
import { listClientFunctions } from "../../../../client-functions.ts";
import { callOf, findClientImport } from "./client-calls.ts";

const withImport = (language: string, text: string, name = "getState") => {
  const { from, insert } = findClientImport(language, text, name) ?? { from: 0, insert: "" };
  return text.slice(0, from) + insert + text.slice(from);
};

it.each([
  ["bun", "//nobundling\nf();\n", '//nobundling\nimport { getState } from "svc-client";\nf();\n'],
  ["bun", 'import { setState } from "svc-client";\n', 'import { getState, setState } from "svc-client";\n'],
  ["bun", 'import * as svc from "svc-client";\n', 'import { getState } from "svc-client";\nimport * as svc from "svc-client";\n'],
  ["python3", "# a\n\ndef main():\n", "# a\n\nimport svc\n\ndef main():\n"],
  ["python3", '"""A."""\nimport os\n', '"""A."""\nimport svc\nimport os\n'],
  ["python3", "from __future__ import annotations\nimport os\n", "from __future__ import annotations\nimport svc\nimport os\n"],
  ["go", "package inner\n\nfunc main() {}\n", 'package inner\n\nimport svc "svc-client"\n\nfunc main() {}\n'],
  ["go", 'package inner\nimport (\n\t"fmt"\n)\n', 'package inner\nimport (\n\tsvc "svc-client"\n\t"fmt"\n)\n'],
])("a %s script imports the client where imports stand: %j", (language, text, imported) => {
  expect(withImport(language, text)).toBe(imported);
});

it.each([
  ["bun", 'import {\n  getState,\n} from "svc-client";\n'],
  ["python3", "import svc\n"],
  ["go", 'package inner\nimport svc "svc-client"\n'],
  ["go", 'package inner\nimport (\n\tsvc "svc-client"\n)\n'],
])("a %s script that imports the client needs no other import: %j", (language, text) => {
  expect(findClientImport(language, text, "getState")).toBeUndefined();
});

it.each([
  ["typescript", "getVariable", "await getVariable(#{path})"],
  ["typescript", "setVariable", "await setVariable(#{path}, #{value})"],
  ["typescript", "appendToResultStream", "appendToResultStream(#{text})"],
  ["python3", "get_state", "svc.get_state()"],
  ["python3", "set_variable", "svc.set_variable(#{path}, #{value})"],
  ["go", "GetVariable", "svc.GetVariable(#{path})"],
])("a call of %s contains the necessary parameters: %s", (language, name, call) => {
  const called = listClientFunctions()[language]?.find((each) => each.name === name);
  expect(called && callOf(language, called)).toBe(call);
});
