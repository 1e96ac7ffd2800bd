import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LayoutOptions } from "../../core/sync/files/layout.ts";
import { capturePrinted, type Printed } from "../../test/support/cli/printed.ts";
import { ApiClient } from "../api/client.ts";
import { throwProblems } from "../errors.ts";
import { Output } from "../output/output.ts";
import type { Project } from "../project/project.ts";
import { parseLocal, readProjectFiles, readRemote, toLayout } from "../project/snapshots.ts";
import { leaveUnusable } from "../project/usable-items.ts";
import { isEffective, planSync } from "./changes.ts";
import { formatPlan } from "./plan-text.ts";
import { applyPull } from "./pull.ts";
import { readBase } from "./state.ts";

let folder: string;
let printed: Printed;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-pull-"));
  printed = capturePrinted();
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const output = new Output({ json: false, verbose: false });
const target = { url: "https://svc.example.com", workspace: "demo", token: "t", source: "svc.yaml" };
const client = new ApiClient(target);
/** Other services may accept any extension. */
const fileTypes: LayoutOptions["fileTypes"] = {
  evil: { format_extension: "../../../../out" },
  set: { is_fileset: true },
  ini: { format_extension: "ini" },
};

/** Creates a project in the folder of the test. */
function newProject(): Project {
  const root = join(folder, "project");
  mkdirSync(root);
  const everything = { skipSecrets: false, includeSchedules: true, includeTriggers: true, includeUsers: true, includeGroups: true };
  const options = { ...everything, includeSettings: true, includeKey: true };
  return { root, config: {}, configured: {}, options, specific: {}, describeProblem: (_, message) => ({ file: "svc.yaml", message }) };
}

/** Pulls an archive, and returns what has changed. */
function pull(project: Project, entries: Map<string, string>, ignoresCase = false): string[] {
  const layout = toLayout(project, fileTypes);
  const files = readProjectFiles(project);
  const { snapshot: local, problems } = parseLocal(files, project, layout);
  throwProblems(problems);
  const rules = { marked: new Set<string>(), layout };
  const remote = readRemote(entries, project, rules, files.files, output);
  leaveUnusable(project, { local, remote }, layout, output, ignoresCase);
  const session = { project, target, client, rules, files, local, remote: remote.snapshot, folders: remote.folders, hasBundles: false };
  const changes = planSync("pull", { ...session, base: readBase(project.root, target), force: false });
  formatPlan(changes, "pull", { diffs: "full" });
  applyPull(session, changes);
  return changes.filter(isEffective).map(({ type, key }) => `${type} ${key}`);
}

const variable = (value: unknown, isSecret = false) => JSON.stringify({ value, is_secret: isSecret, description: "" });
const script = JSON.stringify({ summary: "", description: "", lock: "" });
const GOOD = "f/good/name.variable.json";

/** Hostile items, and the part of the message that names the item and the reason. */
const hostile: [name: string, entries: Record<string, string>, message: string][] = [
  ["a path with ..", { "f/../../out.variable.json": variable("x") }, "variable f/../../out is left out: not every system"],
  ["an absolute path", { "/tmp/out.variable.json": variable("x") }, "/tmp/out.variable.json is left out"],
  ["a path with a drive", { "C:/out.variable.json": variable("x") }, "C:/out.variable.json is left out"],
  ["a backslash", { "f/t/..\\..\\out.variable.json": variable("x") }, "out is left out: not every system"],
  ["a NUL", { "f/t/a\0b.variable.json": variable("x") }, "variable f/t/ab is left out: not every system"],
  ["a name that is too long", { [`f/t/${"a".repeat(300)}.variable.json`]: variable("x") }, "a is left out: not every system"],
  ["the name of a device", { "f/t/aux.variable.json": variable("x") }, "variable f/t/aux is left out: not every system"],
  ["a hidden folder", { "f/.git/config.variable.json": variable("x") }, "variable f/.git/config is left out: not every system"],
  ["a hidden file", { "dependencies/.npmrc": "x" }, "dependencies .npmrc is left out: not every system"],
  [
    "the case of another item",
    { "f/good/NAME.variable.json": variable("x") },
    "is left out: its files cannot lie beside those of variable f/good/",
  ],
  ["a folder in place of a file", { "f/good/name.variable.yaml/a.variable.json": variable("x") }, "its files cannot lie beside those of"],
  [
    "a folder in place of a file here",
    { "f/README.md/a.variable.json": variable("x") },
    "f/README.md is a link here, or is in the place of",
  ],
  ["a folder that is a link here", { "f/link/a.variable.json": variable("x") }, "f/link is a link here, or is in the place of"],
  ["broken JSON", { "f/t/a.variable.json": "{" }, "f/t/a.variable.json is left out"],
  ["no fields", { "f/t/a.variable.json": "null" }, "f/t/a.variable.json is left out"],
  [
    "a value that is a reference",
    { "f/t/a.variable.json": variable("!inline ../../out") },
    "variable f/t/a is left out: svc could not read its files again.",
  ],
  ["a script with two sources", { "f/t/a.script.json": script, "f/t/a.ts": "", "f/t/a.py": "" }, "f/t/a.script.json is left out"],
  ["a script without a source", { "f/t/a.script.json": script }, "f/t/a.script.json is left out"],
  ["modules that are no objects", { "f/t/a.script.json": '{"modules":{"x.ts":null}}', "f/t/a.ts": "" }, "script f/t/a is left out"],
  ["a deep value", { "f/t/a.resource.json": `{"value":${"[".repeat(9000)}${"]".repeat(9000)}}` }, "resource f/t/a is left out"],
  [
    "an extension",
    { "f/t/a.resource.json": '{"resource_type":"evil","value":{"content":"x"}}' },
    "resource f/t/a is left out: not every system",
  ],
  ["half a surrogate pair", { "f/t/a.variable.json": variable("XX").replace("XX", "\\ud800") }, "variable f/t/a is left out"],
  ["half a surrogate pair in a name", { "f/t/a\ud800.variable.json": variable("x") }, "is left out"],
  ["a number without an end", { "f/t/a.resource.json": '{"value":{"a":1e999}}' }, "resource f/t/a is left out"],
  ["half a pair in a script", { "f/t/a.script.json": script, "f/t/a.ts": "\ud800" }, "script f/t/a is left out"],
  ["half a pair in a list", { "dependencies/x.txt": "\ud800" }, "dependencies x.txt is left out"],
  ["broken versions", { "versions.json": "{" }, "versions.json is left out"],
];

describe("a pull of an archive with an item with", () => {
  it.each(hostile)("%s leaves it out with a message, and pulls the others", (_, entries, message) => {
    const project = newProject();
    mkdirSync(join(project.root, "f"));
    writeFileSync(join(project.root, "f/README.md"), "");
    mkdirSync(join(project.root, "f/inner"));
    symlinkSync("inner", join(project.root, "f/link"));
    const changed = pull(project, new Map([...Object.entries(entries), [GOOD, variable("v")]]), true);
    expect(changed.filter((change) => !/create variable f\/good\/name/i.test(change))).toEqual([]);
    expect(changed).toHaveLength(1);
    expect(printed.stderr).toContain(message);
    expect(readdirSync(folder)).toEqual(["project"]);
  });
});

it("a pull keeps the local files of an item that has become unusable in the workspace", () => {
  const project = newProject();
  const file = join(project.root, "f/t/a.variable.yaml");
  pull(project, new Map([["f/t/a.variable.json", variable("v")]]));
  const before = readFileSync(file, "utf8");
  for (const text of ["{", variable("!inline x")]) expect(pull(project, new Map([["f/t/a.variable.json", text]]))).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe(before);
});

it("only its owner may read a pulled file with secrets", () => {
  const project = newProject();
  const values = {
    "f/t/secret.variable.json": variable("hush", true),
    "f/t/db.resource.json": '{"value":{}}',
    "encryption_key.json": '"key"',
  };
  pull(project, new Map(Object.entries({ ...values, [GOOD]: variable("v") })));
  const modeOf = (file: string) => statSync(join(project.root, file)).mode & 0o777;
  for (const file of ["f/t/secret.variable.yaml", "f/t/db.resource.yaml", "encryption_key.yaml"])
    expect([file, modeOf(file)]).toEqual([file, 0o600]);
  expect(modeOf("f/good/name.variable.yaml") & 0o044).not.toBe(0);
  // The state of a new clone.
  chmodSync(join(project.root, "f/t/secret.variable.yaml"), 0o644);
  expect(pull(project, new Map(Object.entries({ ...values, [GOOD]: variable("v") })))).toEqual([]);
  expect(modeOf("f/t/secret.variable.yaml")).toBe(0o600);
});

const part = fc.constantFrom(
  "f",
  "u",
  "t",
  "T",
  "..",
  ".",
  "",
  "a",
  "A",
  "con",
  "x\0y",
  "C:",
  "..\\..",
  "l".repeat(300),
  ".git",
  "node_modules",
  "é",
  "e\u0301",
  "a.flow",
  "b__mod",
  "script",
  "dependencies",
  "users",
  "groups",
  "folder.meta",
  "__proto__",
  "good",
  "name",
  "a.variable.yaml",
);
const ending = fc.constantFrom(
  ".script.json",
  ".ts",
  ".py",
  ".variable.json",
  ".resource.json",
  ".flow.json",
  ".app.json",
  ".raw_app.json",
  ".schedule.json",
  ".http_trigger.json",
  ".resource-type.json",
  ".user.json",
  ".json",
  ".yaml",
  "",
);
const reference = fc.constantFrom(
  "!inline ../../../out.ts",
  "!inline x.ts",
  "../../../out.ts",
  "/tmp/out.ts",
  ".git/config",
  "ok.ts",
  "a/../b.ts",
  "",
);
const value = fc.oneof(
  fc.constantFrom("{", "null", "[]", '"x"', "1e999", '{"__proto__":{}}', "{}", script, variable("v")),
  reference.map((text) => variable(text)),
  reference.map((name) => JSON.stringify({ modules: { [name]: { content: "x", language: "bun", lock: name } }, lock: name })),
  fc
    .tuple(reference, fc.constantFrom("evil", "set", "ini"))
    .map(([name, type]) => JSON.stringify({ resource_type: type, value: { [name]: "x", content: name } })),
  fc.tuple(reference, reference).map(([id, text]) =>
    JSON.stringify({
      summary: "",
      value: { modules: [{ id, summary: id, value: { type: "rawscript", content: text, language: "bun", lock: text } }] },
    }),
  ),
);
const entry = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 5 }), ending, value)
  .map(([parts, end, text]) => [`${parts.join("/")}${end}`, text] as const);

it("a pull writes nothing outside of its folder, whatever the archive contains, and a second pull changes nothing", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), fc.boolean(), (entries, ignoresCase) => {
      const project = newProject();
      try {
        const archive = new Map([...entries, ["f/intact/name.variable.json", variable("v")] as const]);
        expect(pull(project, archive, ignoresCase)).toContain("create variable f/intact/name");
        expect(readdirSync(folder)).toEqual(["project"]);
        expect(
          readdirSync(project.root).filter(
            (name) => !/^(f|u|users|groups|dependencies|\.svc|settings\.yaml|encryption_key\.yaml|.+\.resource-type\.yaml)$/.test(name),
          ),
        ).toEqual([]);
        expect(pull(project, archive, ignoresCase)).toEqual([]);
      } finally {
        rmSync(project.root, { recursive: true, force: true });
      }
    }),
    { numRuns: 50 },
  );
});
