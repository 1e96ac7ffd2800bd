import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { exampleArguments, javascriptOf, pythonOf } from "./webhook-examples.ts";

const webhook = { kind: "async", method: "POST", url: "https://svc.example.com/api/w/demo/jobs/run/p/f/ops/hello" };

describe("the examples of a webhook", () => {
  it("have the required arguments of the schema", () => {
    const properties = {
      name: { type: "string" },
      age: { type: "integer", default: 7 },
      size: { enum: ["S"] },
      rest: {},
      other: { type: "string" },
    };
    const required = ["name", "age", "size", "rest"];
    expect(exampleArguments({ properties, required })).toEqual({ name: "text", age: 7, size: "S", rest: null });
    expect(exampleArguments(undefined)).toEqual({});
  });

  it("read the token from the environment, and no argument ends a text", () => {
    const args = { name: `"; import os; os.exit() #'''`, flag: true };
    const javascript = javascriptOf(webhook, args);
    const python = pythonOf(webhook, args);
    for (const program of [javascript, python]) {
      expect(program).toContain("TOKEN");
      expect(program).toContain(webhook.url);
    }
    const checked = spawnSync(process.execPath, ["--input-type=module", "--check", "-"], { input: javascript, encoding: "utf8" });
    expect([checked.status, checked.stderr]).toEqual([0, ""]);
    expect(python).toContain(String.raw`json.loads("{\"name\":\"\\\"; import os; os.exit() #'''\",\"flag\":true}")`);
  });

  it("send no body by GET", () => {
    expect(javascriptOf({ ...webhook, method: "GET" }, {})).not.toContain("body");
    expect(pythonOf({ ...webhook, method: "GET" }, {})).not.toContain("data=");
  });
});
