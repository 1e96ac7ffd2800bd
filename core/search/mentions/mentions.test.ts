import { describe, expect, it } from "vitest";
import type { FlowValue } from "../../../contract/flows/flow-value.ts";
import type { ScriptLanguage } from "../../../contract/languages.ts";
import { findInFlow } from "./find-in-flow.ts";
import { findInHandler, findInResource, findInSchedule, findInStorage, findInTrigger } from "./find-in-settings.ts";
import { findInSource } from "./find-in-source.ts";
import type { MentionTarget } from "./mention-target.ts";

const script: MentionTarget = { kind: "script", path: "f/ops/run" };
const flow: MentionTarget = { kind: "flow", path: "f/ops/run" };
const resource: MentionTarget = { kind: "resource", path: "f/ops/db" };
const variable: MentionTarget = { kind: "variable", path: "f/ops/key" };
const inSource = (target: MentionTarget, language: ScriptLanguage, content: string) =>
  findInSource(target, { language, path: "f/ops/caller", content });

describe("a source", () => {
  it.each<[string, MentionTarget, ScriptLanguage, string, string[]]>([
    ["a relative import", script, "bun", 'import { a } from "./run.ts";', ["import"]],
    ["an import by the path", script, "deno", 'import { a } from "/f/ops/run.ts";', ["import"]],
    ["an import of Python", script, "python3", "from f.ops.run import a", ["import"]],
    ["a call", script, "bun", 'await wmill.runScript("f/ops/run", null, {});', ["code"]],
    ["an asynchronous call", script, "python3", "wmill.run_script_by_path_async('f/ops/run', {})", ["code"]],
    ["a call that names the parameter", script, "python3", 'run_script(args={}, path="f/ops/run")', ["code"]],
    ["a call of Go", script, "go", 'package inner\nfunc main() { svc.RunScriptByPath("f/ops/run", nil) }', ["code"]],
    ["a call of a flow", flow, "nativets", "runFlow('f/ops/run')", ["code"]],
    ["a variable in a template", variable, "bun", "getVariable(`f/ops/key`)", ["code"]],
    ["a call with type arguments", resource, "bun", "getResource<Db>('f/ops/db')", ["code"]],
    ["the path as the second argument", resource, "go", 'package inner\nfunc main() { SetResource(1, "f/ops/db") }', ["code"]],
    ["a default that is a reference", resource, "python3", 'def main(db = "$res:f/ops/db"): pass', ["code"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the source
    ["an address in a template", variable, "bun", "fetch(`${base}/api/w/${w}/variables/get_value/f/ops/key`)", ["code"]],
    ["an address in a shell", script, "bash", 'curl "$BASE_URL/api/w/$WM_WORKSPACE/jobs/run/p/f/ops/run" # start', ["code"]],
    ["a reference in a shell", variable, "bash", "echo '$var:f/ops/key'", ["code"]],
  ])("mentions the object by %s", (_, target, language, content, how) => {
    expect(inSource(target, language, content)).toEqual(how);
  });

  it.each<[string, MentionTarget, ScriptLanguage, string]>([
    ["in a comment", resource, "bun", '// getResource("f/ops/db")'],
    ["in a comment of Python", resource, "python3", '# get_resource("f/ops/db")'],
    ["in a comment of a shell", script, "bash", "# curl /jobs/run/p/f/ops/run"],
    ["as another text", resource, "bun", 'const name = "f/ops/db"; log("f/ops/db");'],
    ["as the value of a variable", variable, "bun", 'setVariable("f/ops/other", "f/ops/key")'],
    ["inside of a text with a call", resource, "bun", `const code = 'getResource("f/ops/db")';`],
    ["as the beginning of a longer path", resource, "bun", 'getResource("f/ops/db_2"); fetch("/api/w/a/resources/get/f/ops/db/2")'],
    ["as an object of another kind", resource, "bun", 'getVariable("f/ops/db"); const a = "$var:f/ops/db";'],
    ["as the name of another script", script, "bun", 'import { a } from "../other/run.ts"; import b from "run";'],
    ["as a part of a text", variable, "python3", 'x = "see $var:f/ops/key"'],
  ])("does not mention an object %s", (_, target, language, content) => {
    expect(inSource(target, language, content)).toEqual([]);
  });

  it("of any text is read without an error", () => {
    for (const content of [
      "(".repeat(2000),
      "x()".repeat(20_000),
      `a${'("f/ops/db")'.repeat(2000)}`,
      '"f/ops/db',
      "f/ops/db`${",
      "\u0000f/ops/db",
      "getResource('f/ops/db'",
    ]) {
      for (const language of ["bun", "python3", "go", "bash", "php"] as const) inSource(resource, language, content);
    }
  });
});

const step = (id: string, value: object, more: object = {}) => ({ id, value, ...more });
const inFlow = (target: MentionTarget, modules: object[], more: object = {}) =>
  findInFlow(target, { path: "f/ops/flow", value: { modules, ...more } as FlowValue });

describe("a flow", () => {
  it("mentions what its steps call, at any depth", () => {
    const call = { type: "script", path: "f/ops/run" };
    const loop = step("l", { type: "forloopflow", iterator: { type: "static", value: [] }, modules: [step("b", call)] });
    const branch = step("c", { type: "branchone", branches: [{ expr: "true", modules: [step("d", call)] }], default: [step("e", call)] });
    expect(inFlow(script, [step("a", call), loop, branch], { failure_module: step("failure", call) })).toEqual([
      ...["step a", "step b", "step d", "step e", "step failure"],
    ]);
    expect(inFlow(flow, [step("a", call), step("b", { ...call, type: "flow" })])).toEqual(["step b"]);
  });

  it("mentions what its inputs and expressions refer to", () => {
    const inputs = {
      db: { type: "static", value: { main: "$res:f/ops/db" } },
      other: { type: "static", value: "f/ops/db" },
      user: { type: "javascript", expr: "resource('f/ops/db').user" },
      text: { type: "javascript", expr: "'f/ops/db' /* resource('f/ops/db') */" },
    };
    const more = { skip_if: { expr: "resource(`f/ops/db`).off" }, mock: { enabled: true, return_value: "$res:f/ops/db" } };
    const branch = step("b", { type: "branchall", branches: [{ modules: [] }] }, { sleep: { type: "static", value: "$res:f/ops/db" } });
    const value = { type: "script", path: "f/ops/run", input_transforms: inputs };
    expect(
      inFlow(resource, [step("a", value, more), branch], { flow_env: { db: "$res:f/ops/db" }, skip_expr: "resource('f/ops/db')" }),
    ).toEqual([
      ...["step a: input_transforms.db", "step a: input_transforms.user", "step a: skip_if", "step b: sleep", "skip_expr", "flow_env.db"],
    ]);
  });

  it("mentions what its inline scripts import from their place", () => {
    const inline = { type: "rawscript", language: "bun", content: 'import "../run.ts"; getVariable("f/ops/key");' };
    expect(inFlow(script, [step("a", inline)])).toEqual(["step a: import"]);
    expect(inFlow(variable, [step("a", inline)])).toEqual(["step a: code"]);
  });
});

describe("objects with settings", () => {
  it("mention what they start, their handlers and their references", () => {
    const schedule = {
      ...{ scriptPath: "f/ops/run", isFlow: true, args: { key: { of: "$var:f/ops/key" } } },
      settings: {
        on_failure: "script/f/ops/run",
        on_success: "f/ops/run",
        on_failure_extra_args: { k: "$var:f/ops/key" },
        dynamic_skip: "f/ops/run",
      },
    } as unknown as Parameters<typeof findInSchedule>[1];
    expect(findInSchedule(script, schedule)).toEqual(["on_failure", "on_success", "dynamic_skip"]);
    expect(findInSchedule(flow, schedule)).toEqual(["script_path", "on_success"]);
    expect(findInSchedule({ ...flow, hasScript: true }, schedule)).toEqual(["script_path"]);
    expect(findInSchedule(variable, schedule)).toEqual(["on_failure_extra_args.k", "args.key"]);
    const trigger = {
      ...{ kind: "http", scriptPath: "f/ops/run", isFlow: false, errorHandlerPath: "flow/f/ops/run" },
      own: { authentication_resource_path: "f/ops/db" },
    } as unknown as Parameters<typeof findInTrigger>[1];
    expect(findInTrigger(script, trigger)).toEqual(["script_path"]);
    expect(findInTrigger(flow, trigger)).toEqual(["error_handler_path"]);
    expect(findInTrigger(resource, trigger)).toEqual(["authentication_resource_path"]);
    const value = { path: "f/ops/x", json: '{"password":"$var:f/ops/key","note":"$res:f/ops/key"}' };
    expect(findInResource(variable, value as Parameters<typeof findInResource>[1])).toEqual(["value.password"]);
    expect(findInHandler(script, { path: "f/ops/run", extra_args: {} })).toEqual(["path"]);
    const storage = {
      type: "S3Storage",
      s3_resource_path: "f/ops/db",
      secondary_storage: { b: { type: "S3Storage", s3_resource_path: "f/ops/db" } },
    };
    expect(findInStorage(resource, storage as Parameters<typeof findInStorage>[1])).toEqual(["s3_resource_path", "secondary_storage.b"]);
  });
});
