import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";
import { writeFiles } from "../../support/cli/write-files.ts";

let cli: InstalledCli;
let ws: Workspace;
let checkout: string;
beforeAll(async () => {
  [cli, ws] = await Promise.all([installCli(), newWorkspace()]);
  checkout = cli.newFolder();
  writeFiles(checkout, project);
});
afterAll(() => cli?.remove());

const svc = (args: string[], { cwd = checkout, env = {} }: { cwd?: string; env?: Record<string, string> } = {}) =>
  cli.run(args, { cwd, env: { SVC_URL: api().url, SVC_TOKEN: api().token, SVC_WORKSPACE: ws.id, ...env } });
const write = (file: string, text: string, folder = checkout) => writeFiles(folder, { [file]: text });
const read = (file: string) => readFileSync(join(checkout, file), "utf8");
const push = async (...args: string[]) => {
  const pushed = await svc(["sync", "push", "--yes", "--wait", "--verbose", ...args]);
  expect(pushed, pushed.stderr).toMatchObject({ code: 0 });
  return pushed.stderr;
};
const plan = async () => {
  const { code, stdout, stderr } = await svc(["sync", "plan", "--json", "--bundle", "--yes"]);
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { changes: { type: string; path: string; reason?: string }[] }).changes.map(
    ({ type, path, reason = "" }) => `${type} ${path} ${reason}`,
  );
};
const deployed = async (path: string) =>
  (await ws.get(`scripts/get/p/${path}`)).json as { codebase?: string; content: string; lock: string };
const metadata = "summary: ''\ndescription: ''\nlock: ''\n";

/** A project whose codebases use every field. */
const project = {
  "svc.yaml": `skipFolders: true
codebases:
  - relative_path: f/t/site
    includes: ['f/t/site/**']
    excludes: ['plain.ts']
    format: cjs
    external: [not-bundled]
    assets:
      - { from: lib/texts, to: texts }
      - { from: lib/vendor, to: node_modules }
    inject: [lib/inject.ts]
    define: { STAGE: '"test"' }
    banner: { js: 'globalThis.fromBanner = "banner";' }
    loader: { .sql: text }
  - relative_path: f/t/custom
    customBundler: lib/bundler.mjs
`,
  "lib/tax.ts": "export const tax = (net: number) => net * 1.25;\n",
  "lib/inject.ts": 'export const injected = () => "inject";\n',
  "lib/query.sql": "SELECT 1",
  "lib/texts/de/hello.txt": "hallo",
  "lib/vendor/not-bundled/package.json": '{"name":"not-bundled","version":"1.0.0","main":"index.js"}',
  "lib/vendor/not-bundled/index.js": 'exports.name = "external";\n',
  "node_modules/bundled/package.json": '{"name":"bundled","version":"1.0.0","main":"index.js"}',
  "node_modules/bundled/index.js": 'exports.name = "bundled";\n',
  "lib/bundler.mjs":
    'console.error("bundling");\nprocess.stdout.write("export const main = () => " + JSON.stringify("custom " + process.argv[2]));\n',
  "f/t/site/all.ts": `import { readFileSync } from "node:fs";
import { join } from "node:path";
import { name as bundled } from "bundled";
import { name as external } from "not-bundled";
import query from "../../../lib/query.sql";
import { tax } from "../../../lib/tax";
declare const STAGE: string;
export function main(net: number) {
  return {
    tax: tax(net), bundled, external, query, stage: STAGE, injected: injected(), banner: globalThis.fromBanner,
    asset: readFileSync(join(__dirname, "texts/de/hello.txt"), "utf8"),
  };
}
`,
  "f/t/site/all.script.yaml": metadata,
  "f/t/site/plain.ts": 'export const main = () => "plain";\n',
  "f/t/site/plain.script.yaml": metadata,
  "f/t/site/shell.sh": "echo shell\n",
  "f/t/site/shell.script.yaml": metadata,
  "f/t/custom/x.ts": "export const main = () => 'its source';\n",
  "f/t/custom/x.script.yaml": metadata,
  "f/t/other.ts": 'export const main = () => "other";\n',
  "f/t/other.script.yaml": metadata,
};

describe("a codebase", () => {
  it("is bundled with a library, packages and assets, and runs", async () => {
    expect(await push()).toContain("create script f/t/site/all");
    expect((await ws.runWait("f/t/site/all", { net: 100 })).json).toEqual({
      tax: 125,
      bundled: "bundled",
      external: "external",
      query: "SELECT 1",
      stage: "test",
      injected: "inject",
      banner: "banner",
      asset: "hallo",
    });
    expect(await deployed("f/t/site/all")).toMatchObject({
      codebase: expect.stringMatching(/^[0-9a-f]{64}\.tar$/),
      content: project["f/t/site/all.ts"],
    });
  });

  it("contains the scripts of its folder that its globs include, in languages that run bundles", async () => {
    for (const path of ["f/t/site/plain", "f/t/site/shell", "f/t/other"]) expect((await deployed(path)).codebase ?? "").toBe("");
    expect((await ws.runWait("f/t/site/plain")).json).toBe("plain");
  });

  it("is bundled by its own bundler, which is called with the path of the script", async () => {
    expect((await ws.runWait("f/t/custom/x")).json).toBe("custom f/t/custom/x.ts");
  });

  it("uploads nothing the second time, and after a pull", async () => {
    expect(await plan()).toEqual([]);
    expect(await push()).not.toContain("create_snapshot");
    expect(await svc(["sync", "pull", "--yes"])).toMatchObject({ code: 0, stderr: expect.stringContaining("Nothing differs.") });
    expect(read("f/t/site/all.script.yaml")).not.toContain("codebase");
    expect(await plan()).toEqual([]);
    const second = cli.newFolder();
    write("svc.yaml", project["svc.yaml"], second);
    expect(await svc(["sync", "pull", "--yes"], { cwd: second })).toMatchObject({ code: 0 });
    expect(readFileSync(join(second, "f/t/site/all.script.yaml"), "utf8")).not.toContain("codebase");
  });

  it("has changed if only its library has changed, and a changed summary needs no upload", async () => {
    write("lib/tax.ts", "export const tax = (net: number) => net * 2;\n");
    expect(await plan()).toEqual(["change f/t/site/all its bundle has changed"]);
    expect(await svc(["sync", "pull", "--yes"])).toMatchObject({ code: 0, stderr: expect.stringContaining("Nothing differs.") });
    expect(await push()).toContain("scripts/create_snapshot");
    expect((await ws.runWait("f/t/site/all", { net: 100 })).json).toMatchObject({ tax: 200 });
    write("f/t/site/all.script.yaml", metadata.replace("''", "All"));
    expect(await push()).not.toContain("create_snapshot");
    expect((await ws.runWait("f/t/site/all", { net: 100 })).json).toMatchObject({ tax: 200 });
  });

  it("is uploaded again if another user is named for whom it runs", async () => {
    const { email } = (await ws.get("users/whoami")).json as { email: string };
    write("f/t/custom/x.script.yaml", `${metadata}on_behalf_of_email: ${email}\n`);
    expect(await push()).toContain("scripts/create_snapshot");
    write("f/t/custom/x.script.yaml", `${metadata.replace("''", "Custom")}on_behalf_of_email: ${email}\n`);
    expect(await push()).not.toContain("create_snapshot");
  });

  it("has its previous metadata after an `undo`, and the next plan contains the change again", async () => {
    write("f/t/site/all.script.yaml", metadata.replace("''", "Undone"));
    await push();
    expect(await svc(["sync", "undo", "--yes"])).toMatchObject({ code: 0, stderr: expect.stringContaining("restore script f/t/site/all") });
    expect(await deployed("f/t/site/all")).toMatchObject({ summary: "All" });
    expect((await ws.runWait("f/t/site/all", { net: 100 })).json).toMatchObject({ tax: 200 });
    expect(await plan()).toEqual(["change f/t/site/all "]);
    write("f/t/site/all.script.yaml", metadata.replace("''", "All"));
  });

  it("is not changed by `undo`, which cannot fetch the previous bundle", async () => {
    write("lib/tax.ts", "export const tax = (net: number) => net * 3;\n");
    await push();
    const undone = await svc(["sync", "undo", "--yes"]);
    expect(undone).toMatchObject({ code: 0, stderr: expect.stringContaining("leave script f/t/site/all (its former bundle") });
  });

  it("runs as a preview of the local files", async () => {
    write("lib/tax.ts", "export const tax = (net: number) => net * 4;\n");
    const preview = await svc(["script", "preview", "f/t/site/all.ts", "-d", '{"net":1}']);
    expect(preview, preview.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(preview.stdout)).toMatchObject({ tax: 4, asset: "hallo" });
    const custom = await svc(["script", "preview", "f/t/custom/x.ts", "--yes"]);
    expect([custom.code, custom.stdout]).toEqual([0, "custom f/t/custom/x.ts\n"]);
    expect((await ws.runWait("f/t/site/all", { net: 1 })).json).toMatchObject({ tax: 3 });
  });

  it("reports every problem with its place, before any call", async () => {
    // Nothing listens there, so a call would fail with another message.
    const env = { SVC_URL: "http://127.0.0.1:9" };
    const folder = cli.newFolder();
    const problemsOf = async (svcYaml: string) => {
      write("svc.yaml", svcYaml, folder);
      const { code, stderr } = await svc(["sync", "push", "--yes"], { cwd: folder, env });
      expect(code).toBe(2);
      return stderr.trimEnd().split("\n");
    };
    write("f/a/x.ts", 'import "../../gone";\nimport "no-package";\nexport const main = () => 1;\n', folder);
    expect(await problemsOf("codebases:\n  - relative_path: ..\n  - relative_path: f/none\n    inject: [gone.ts]\n")).toEqual([
      "svc.yaml:2:5: codebases.0.relative_path: .. leads out of the folder of svc.yaml. Move it into the folder.",
      "svc.yaml:3:5: codebases.1.relative_path: there is no folder f/none. The path is relative to svc.yaml.",
      "svc.yaml:4:14: codebases.1.inject.0: there is no file gone.ts. The path is relative to svc.yaml.",
    ]);
    expect(await problemsOf("codebases:\n  - relative_path: f\n  - relative_path: .\n")).toEqual([
      "svc.yaml:3:5: codebases.1: f/a/x.ts belongs to the codebases f (0) and . (1). Exclude it from one of them.",
    ]);
    expect(await problemsOf("codebases:\n  - relative_path: f\n")).toEqual([
      'f/a/x.ts:1:8: Could not resolve "../../gone".',
      'f/a/x.ts:2:8: Could not resolve "no-package". Install the package here, or list it in `external`.',
    ]);
    write("bundler.mjs", 'console.error("it broke");\nprocess.exit(3);\n', folder);
    expect(await problemsOf("codebases:\n  - relative_path: f\n    customBundler: bundler.mjs\n")).toEqual([
      "f/a/x.ts: The bundler bundler.mjs exited with code 3.",
      "  it broke",
    ]);
  });
});

describe("a preview", () => {
  it("runs a script with its log, and with the arguments of the file next to it", async () => {
    write("f/t/greet.ts", 'export function main(name = "you") { console.log("greeting"); return "hi " + name; }\n');
    const run = () => svc(["script", "preview", "f/t/greet.ts"]);
    expect(await run()).toMatchObject({ code: 0, stdout: "hi you\n", stderr: expect.stringContaining("greeting") });
    write("f/t/greet.ts.args.json", '{"name":"file"}');
    expect(await run()).toMatchObject({ code: 0, stdout: "hi file\n" });
    expect(await svc(["script", "preview", "f/t/greet.ts", "-d", '{"name":"flag"}'])).toMatchObject({ code: 0, stdout: "hi flag\n" });
    write("f/t/greet.ts.args.json", "[]");
    expect(await run()).toMatchObject({ code: 2, stderr: "f/t/greet.ts.args.json: the arguments must be a JSON object.\n" });
    expect(await svc(["script", "preview", "svc.yaml"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not a file of a script"),
    });
    expect((await ws.get("scripts/exists/p/f/t/greet")).json).toBe(false);
  });

  it("imports the local files of the project's scripts, even if they are not saved", async () => {
    write("f/t/parts.ts", "export const half = (x: number) => x / 2;\nexport const main = half;\n");
    write("f/t/uses_parts.ts", 'import { half } from "./parts.ts";\nexport const main = (x: number) => half(x);\n');
    write(
      "f/t/parts.flow/flow.yaml",
      "value:\n  modules:\n    - id: a\n      value:\n        type: rawscript\n        content: '!inline a.ts'\n        input_transforms: {}\n        language: bun\n",
    );
    write("f/t/parts.flow/a.ts", 'import { half } from "/f/t/parts";\nexport const main = () => half(5);\n');
    expect(await svc(["script", "preview", "f/t/uses_parts.ts", "-d", '{"x":3}'])).toMatchObject({ code: 0, stdout: "1.5\n" });
    expect(await svc(["flow", "preview", "f/t/parts.flow", "--silent"])).toMatchObject({ code: 0, stdout: "2.5\n" });
    expect((await ws.get("scripts/exists/p/f/t/parts")).json).toBe(false);
  });

  it("runs a flow with its inline scripts, from its folder or its flow.yaml, and fails with a failed run", async () => {
    write(
      "f/t/two.flow/flow.yaml",
      "summary: Two\nvalue:\n  modules:\n    - id: a\n      value:\n        type: rawscript\n        content: '!inline my_step.sh'\n        input_transforms:\n          text: { type: javascript, expr: flow_input.text }\n        language: bash\n",
    );
    write("f/t/two.flow/my_step.sh", 'text="$1"\necho "step $text"\ntest "$text" != fail\n');
    write("f/t/two.flow.args.json", '{"text":"args"}');
    for (const place of ["f/t/two.flow", "f/t/two.flow/flow.yaml"]) {
      const ran = await svc(["flow", "preview", place, "--json"]);
      expect(ran.code, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ success: true, result: "step args" });
    }
    expect(await svc(["flow", "preview", "f/t/two.flow", "-d", '{"text":"fail"}'])).toMatchObject({ code: 1 });
    expect((await ws.get("flows/exists/f/t/two")).json).toBe(false);
  });
});
