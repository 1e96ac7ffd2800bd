import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../../engine/paths.ts";
import { api } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type InstalledCli, installCli, type StartedCli } from "../../support/cli/installed-cli.ts";
import { writeFiles } from "../../support/cli/write-files.ts";

let cli: InstalledCli;
let ws: Workspace;
let checkout: string;
let dev: StartedCli;
beforeAll(async () => {
  [cli, ws] = await Promise.all([installCli(), newWorkspace()]);
  checkout = cli.newFolder();
  const schema = { type: "object", properties: { host: { type: "string" }, port: { type: "integer" } }, required: ["host"] };
  await ws.post("resources/type/create", { name: "my_db", schema, description: "A database of ours" });
  await ws.post("variables/create", { path: "f/t/currency", value: "EUR", is_secret: false, description: "" });
  write("svc.yaml", "codebases:\n  - relative_path: f/t/code\n");
  write("lib/tax.ts", "export function tax(net: number) {\n  if (net < 0) throw new Error('negative');\n  return net * 2;\n}\n");
  write(
    "f/t/code/bill.ts",
    'import { tax } from "../../../lib/tax";\nimport { getVariable } from "svc-client";\n\nexport async function main(net: number) {\n  return { tax: tax(net), currency: await getVariable("f/t/currency") };\n}\n',
  );
  write("f/t/code/bill.ts.args.json", '{"net":1}');
  write("f/t/use_db.ts", 'import { getVariable } from "svc-client";\nexport const main = (db: RT.MyDb) => getVariable(db.host);\n');
  const env = { SVC_URL: api().url, SVC_TOKEN: api().token, SVC_WORKSPACE: ws.id };
  dev = cli.start(["dev", "--json"], { cwd: checkout, env });
  await dev.line(({ event }) => event === "ready");
});
afterAll(async () => {
  await dev?.stop();
  cli?.remove();
});

const write = (file: string, text: string) => writeFiles(checkout, { [file]: text });
const ended = (path: string) => dev.line((line) => line["event"] === "ended" && line["path"] === path);
/** Saves a file and returns the line with the end of the preview of an item. */
const save = (file: string, text: string, path: string) => {
  const end = ended(path);
  write(file, text);
  return end;
};

describe("svc dev", () => {
  it("runs a script that is saved, with the arguments next to it, and prints its log", async () => {
    write("f/t/greet.ts.args.json", '{"name":"ann"}');
    const log = dev.line(({ log: text }) => typeof text === "string" && text.includes("greeting ann"));
    const end = await save(
      "f/t/greet.ts",
      "export function main(name: string) {\n  console.log('greeting ' + name);\n  return { name };\n}\n",
      "f/t/greet",
    );
    expect(end).toMatchObject({ kind: "script", success: true, result: { name: "ann" } });
    await log;
    expect(await save("f/t/greet.ts.args.json", '{"name":"bob"}', "f/t/greet")).toMatchObject({ result: { name: "bob" } });
  });

  it("shows the line of the file that has failed, in each language that names it", async () => {
    expect(await save("f/t/greet.ts", "export function main() {\n  throw new Error('broken');\n}\n", "f/t/greet")).toMatchObject({
      success: false,
      result: { error: { message: "broken" } },
      source: { file: "f/t/greet.ts", line: 2, text: "  throw new Error('broken');" },
    });
    expect(await save("f/t/snake.py", "def main():\n    x = 1\n    raise ValueError('broken')\n", "f/t/snake")).toMatchObject({
      success: false,
      source: { file: "f/t/snake.py", line: 3, text: "    raise ValueError('broken')" },
    });
    expect(await save("f/t/greet.ts", "\nexport const main = 1 +;\n", "f/t/greet")).toMatchObject({
      success: false,
      source: { file: "f/t/greet.ts", line: 2, text: "export const main = 1 +;" },
    });
  });

  it("runs a flow when an inline script is saved, and finds the line in that file", async () => {
    write("f/t/two.flow.args.json", '{"text":"x"}');
    const flow =
      "summary: Two\nvalue:\n  modules:\n    - id: a\n      value:\n        type: rawscript\n        content: '!inline my_step.ts'\n        input_transforms:\n          text: { type: javascript, expr: flow_input.text }\n        language: bun\n";
    write("f/t/two.flow/my_step.ts", "export const main = (text: string) => 'step ' + text;\n");
    expect(await save("f/t/two.flow/flow.yaml", flow, "f/t/two")).toMatchObject({ kind: "flow", success: true, result: "step x" });
    const failed = await save("f/t/two.flow/my_step.ts", "export function main() {\n  throw new Error('step');\n}\n", "f/t/two");
    expect(failed).toMatchObject({ success: false, source: { file: "f/t/two.flow/my_step.ts", line: 2 } });
  });

  it("runs a script of a codebase when a file that it imports is saved, and finds the line in that file", async () => {
    const library = readFileSync(join(checkout, "lib/tax.ts"), "utf8");
    const bill = await save("lib/tax.ts", library.replace("* 2", "* 3"), "f/t/code/bill");
    expect(bill).toMatchObject({ success: true, result: { tax: 3, currency: "EUR" } });
    expect(await save("f/t/code/bill.ts.args.json", '{"net":-1}', "f/t/code/bill")).toMatchObject({
      success: false,
      source: { file: "lib/tax.ts", line: 2, text: "  if (net < 0) throw new Error('negative');" },
    });
  });

  it("cancels the running preview when a file is saved", async () => {
    const started = dev.line(({ event, path }) => event === "started" && path === "f/t/slow");
    write("f/t/slow.ts", "export const main = () => new Promise((resolve) => setTimeout(resolve, 600_000));\n");
    const { id } = await started;
    const canceled = dev.line((line) => line["event"] === "canceled" && line["id"] === id);
    expect(await save("f/t/slow.ts", "export const main = () => 'fast';\n", "f/t/slow")).toMatchObject({ success: true, result: "fast" });
    await canceled;
    expect(await ws.completed(String(id))).toMatchObject({ canceled: true });
  });

  it("reports a problem of a file, and continues", async () => {
    const problem = dev.line(({ event }) => event === "problem");
    write("f/t/greet.ts.args.json", "{");
    expect(await problem).toMatchObject({ message: expect.stringContaining("f/t/greet.ts.args.json: ") });
    write("f/t/greet.ts", "export const main = () => 1;\n");
    expect(await save("f/t/greet.ts.args.json", "{}", "f/t/greet")).toMatchObject({ success: true, result: 1 });
  });

  it("writes the types of resources and of the client, with which an editor checks the scripts", () => {
    expect(readFileSync(join(checkout, ".svc/types/resource-types.d.ts"), "utf8")).toContain(
      "type MyDb = {\n    host: string;\n    port?: number;\n  };",
    );
    const check = () =>
      execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", checkout], { encoding: "utf8" });
    expect(existsSync(join(checkout, "tsconfig.json"))).toBe(true);
    write("f/t/snake.ts", "");
    expect(check()).toBe("");
    write("f/t/use_db.ts", "export const main = (db: RT.MyDb) => db.hots;\n");
    expect(check).toThrow(
      expect.objectContaining({ stdout: expect.stringContaining("f/t/use_db.ts(1,41): error TS2339: Property 'hots' does not exist") }),
    );
  });

  it("ends cleanly when it is interrupted, and cancels the running preview", async () => {
    const started = dev.line(({ event, path }) => event === "started" && path === "f/t/slow");
    write("f/t/slow.ts", "export const main = () => new Promise((resolve) => setTimeout(resolve, 700_000));\n");
    const { id } = await started;
    expect(await dev.stop()).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Error") });
    expect(await ws.completed(String(id))).toMatchObject({ canceled: true });
  });
});
