import { expect, it } from "vitest";
import { exampleOf } from "./examples.ts";

it.each([
  ["typescript", 'import { getVariable } from "svc-client";\n\nconst value = await getVariable("f/ops/key");\n'],
  ["python", 'import svc\n\nvalue = svc.get_variable("f/ops/key")\n'],
  ["go", 'import svc "svc-client"\n\nvalue, err := svc.GetVariable("f/ops/key")\n'],
  ["bash", 'curl -sS --fail -H "Authorization: Bearer $OV_TOKEN" "$BASE_INTERNAL_URL/api/w/$OV_WORKSPACE/variables/get_value/f/ops/key"\n'],
] as const)("a script in %s reads a variable by its path", (language, code) => {
  expect(exampleOf("variable", "f/ops/key", language)).toBe(code);
});

it("a script reads a resource with its references resolved", () => {
  expect(exampleOf("resource", "f/ops/db", "bash")).toContain("/resources/get_value_interpolated/f/ops/db");
});
