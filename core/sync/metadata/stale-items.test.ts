import { describe, expect, it } from "vitest";
import { type FileMap, type LayoutOptions, toFiles } from "../files/layout.ts";
import { groupFiles, parseFiles } from "../files/parse-files.ts";
import { inferFields, replaceFlowLocks, replaceScript } from "./generated-item.ts";
import { isResolved, type LocalItem, listSources } from "./item-sources.ts";
import { adoptHashes, forgetUnchanged, pruneHashes, recordItem } from "./record-hashes.ts";
import { findStaleItems } from "./stale-items.ts";
import { listStaleLocks, type ProjectState } from "./stale-locks.ts";

const layout: LayoutOptions = { defaultTs: "bun", nonDottedPaths: false, fileTypes: {} };
const flowYaml = (summary = "") => `summary: '${summary}'
value:
  modules:
    - id: a
      value: {type: rawscript, language: bun, content: '!inline a.inline_script.ts', lock: '!inline a.inline_script.lock', input_transforms: {}}
    - id: b
      value: {type: rawscript, language: bash, content: '!inline b.inline_script.sh', input_transforms: {}}
`;
const project: Readonly<Record<string, string>> = {
  "f/t/tools.ts": "export const one = 1;",
  "f/t/tools.script.yaml": "summary: Tools\nlock: ''\n",
  "f/t/user.ts": 'import { one } from "./tools.ts";\nexport const main = () => one;',
  "f/t/user.script.yaml": "summary: User\nlock: '!inline f/t/user.script.lock'\n",
  "f/t/user.script.lock": "locked",
  "f/t/py.py": "def main(): pass",
  "f/t/py.script.yaml": "summary: Python\nlock: ''\n",
  "f/t/flow.flow/flow.yaml": flowYaml(),
  "f/t/flow.flow/a.inline_script.ts": 'import "../tools.ts";',
  "f/t/flow.flow/a.inline_script.lock": "locked",
  "f/t/flow.flow/b.inline_script.sh": "echo b",
  "f/t/name.variable.yaml": "value: a\n",
};

/** Returns the state of a project in which some files differ from those at the time of the recorded hashes. */
function stateAfter(changes: Readonly<Record<string, string | undefined>>, recorded = project): ProjectState {
  const files = new Map(Object.entries({ ...recorded, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return { items: itemsOf(files), files, hashes: recordAll(new Map(Object.entries(recorded))) };
}

function itemsOf(files: FileMap): LocalItem[] {
  const { items, problems } = parseFiles(files, { ...layout, allowMissingLocks: true });
  expect(problems).toEqual([]);
  const groups = groupFiles(files, layout);
  return items
    .filter(({ kind }) => kind === "script" || kind === "flow")
    .map((item) => ({ item, files: groups.get(`${item.kind} ${item.path}`)?.files ?? new Map() }));
}

function recordAll(files: FileMap): Map<string, string> {
  let hashes = new Map<string, string>();
  for (const local of itemsOf(files)) hashes = recordItem(hashes, local, files);
  return hashes;
}

const reasonsIn = (state: ProjectState) =>
  Object.fromEntries(findStaleItems(state).map(({ local: { item }, reasons }) => [item.path, reasons]));

describe("findStaleItems", () => {
  it.each<[string, Record<string, string | undefined>, Record<string, string[]>]>([
    ["nothing after a generation", {}, {}],
    ["nothing after a change of another kind", { "f/t/name.variable.yaml": "value: b\n" }, {}],
    ["nothing after a change of a flow outside of its scripts", { "f/t/flow.flow/flow.yaml": flowYaml("New") }, {}],
    ["a script with another source", { "f/t/py.py": "import yaml" }, { "f/t/py": ["has changed"] }],
    ["a script with other metadata", { "f/t/py.script.yaml": "summary: Snake\n" }, { "f/t/py": ["has changed"] }],
    ["a new script", { "f/t/new.sh": "echo new" }, { "f/t/new": ["was never generated"] }],
    ["a script whose lock is missing", { "f/t/user.script.lock": undefined }, { "f/t/user": ["has lost its lock"] }],
    ["a flow whose lock is missing", { "f/t/flow.flow/a.inline_script.lock": undefined }, { "f/t/flow": ["a: has lost its lock"] }],
    ["a flow with another inline script", { "f/t/flow.flow/b.inline_script.sh": "echo c" }, { "f/t/flow": ["b: has changed"] }],
    [
      "a script and those that import it",
      { "f/t/tools.ts": "export const one = 2;" },
      {
        "f/t/tools": ["has changed"],
        "f/t/user": ["imports f/t/tools, which has changed"],
        "f/t/flow": ["a: imports f/t/tools, which has changed"],
      },
    ],
    ["the scripts that use a new list of package versions", { "dependencies/requirements.in": "idna==3.7" }, { "f/t/py": ["has changed"] }],
    ["no script that uses another list", { "dependencies/next.requirements.in": "idna==3.7" }, {}],
    [
      "a flow with fewer inline scripts",
      { "f/t/flow.flow/flow.yaml": flowYaml().split("    - id: b")[0], "f/t/flow.flow/b.inline_script.sh": undefined },
      { "f/t/flow": ["an inline script was removed"] },
    ],
  ])("finds %s", (_, changes, expected) => {
    expect(reasonsIn(stateAfter(changes))).toEqual(expected);
  });

  it("finds everything without recorded hashes, also scripts without metadata, and no flow without inline scripts", () => {
    const files = new Map([
      ["f/t/a.ts", "export const main = () => 1;"],
      ["f/t/empty.flow/flow.yaml", "summary: ''\nvalue: {modules: []}\n"],
    ]);
    expect(reasonsIn({ items: itemsOf(files), files, hashes: new Map() })).toEqual({ "f/t/a": ["was never generated"] });
  });

  it("still finds an importer after only the imported script was generated", () => {
    const state = stateAfter({ "f/t/tools.ts": "export const one = 2;" });
    const stale = findStaleItems(state);
    const tools = state.items.find(({ item }) => item.path === "f/t/tools") as LocalItem;
    const hashes = recordItem(forgetUnchanged(state.hashes, stale), tools, state.files);
    expect(reasonsIn({ ...state, hashes })).toEqual({ "f/t/user": ["was never generated"], "f/t/flow": ["a: was never generated"] });
  });
});

describe("listStaleLocks", () => {
  it("lists the files of locks that were made for other sources", () => {
    const changes = { "f/t/user.ts": "export const main = 2;", "f/t/py.py": "import yaml", "f/t/flow.flow/a.inline_script.ts": "" };
    const files = listStaleLocks(stateAfter(changes)).map(({ file }) => file);
    expect(files).toEqual(["f/t/user.ts", "f/t/flow.flow/a.inline_script.ts"]);
    expect(listStaleLocks({ ...stateAfter(changes), hashes: new Map() })).toEqual([]);
  });
});

describe("recorded hashes", () => {
  it("lose those of items without files", () => {
    const { files, hashes } = stateAfter({ "f/t/py.py": undefined, "f/t/py.script.yaml": undefined });
    const pruned = pruneHashes(new Map([...hashes, ["f/t/app.app+__app_hash", "h"]]), new Map([...files, ["f/t/app.app/app.yaml", ""]]));
    expect([...hashes.keys()].filter((key) => !pruned.has(key))).toEqual(["f/t/py"]);
    expect(pruned.has("f/t/app.app+__app_hash")).toBe(true);
  });

  it.each([
    ["a script with a lock", "f/t/user", {}, true],
    ["a script without packages", "f/t/py", {}, true],
    ["a flow whose inline scripts with packages have locks", "f/t/flow", {}, true],
    [
      "a flow without locks",
      "f/t/flow",
      { "f/t/flow.flow/flow.yaml": flowYaml().replace("lock: '!inline a.inline_script.lock', ", "") },
      false,
    ],
  ])("are right after a pull of %s: %s %j %s", (_, path, changes, expected) => {
    const local = stateAfter(changes).items.find(({ item }) => item.path === path) as LocalItem;
    expect(isResolved(local)).toBe(expected);
  });
});

describe("adoptHashes", () => {
  it("records items that have a lock and no hash, and no script with an empty lock", () => {
    const { items, files, hashes } = stateAfter({});
    expect([...adoptHashes(new Map(), items, files).keys()].sort()).toEqual(
      [...hashes.keys()].filter((key) => !/tools|py/.test(key)).sort(),
    );
    const recorded = new Map([["f/t/user", "other"]]);
    expect(adoptHashes(recorded, items, files).get("f/t/user")).toBe("other");
    expect(adoptHashes(recorded, [], files)).toEqual(recorded);
  });
});

describe("the sources of an item", () => {
  it.each([
    ["a script with packages", "f/t/user", undefined, [true]],
    ["a script of a codebase", "f/t/user", {}, [false]],
    ["the inline scripts of a flow", "f/t/flow", undefined, [true, false]],
  ])("may have locks: %s %s %j %j", (_, path, bundled, expected) => {
    const local = stateAfter({}).items.find(({ item }) => item.path === path) as LocalItem;
    expect(listSources({ ...local, ...(bundled ? { bundled } : {}) }).map(({ mayHaveLock }) => mayHaveLock)).toEqual(expected);
  });
});

const itemAt = (files: Record<string, string>): LocalItem => itemsOf(new Map(Object.entries(files)))[0] as LocalItem;

describe("a generated script", () => {
  const generate = (files: Record<string, string>, lock?: string) => {
    const local = itemAt(files);
    return Object.fromEntries(replaceScript(local, { fields: inferFields(local.item), lock }).files);
  };

  it("gets a metadata file with the schema, and a lock next to its source", () => {
    const files = generate({ "f/t/a.py": "def main(x: str): pass" }, "idna==3.7\n");
    expect(files).toMatchObject({ "f/t/a.script.lock": "idna==3.7\n" });
    expect(files["f/t/a.script.yaml"]).toMatch(/lock: .!inline f\/t\/a.script.lock.\nkind: script\nschema:.*x:\n\s*type: string/s);
    expect(Object.keys(generate({ "f/t/a__mod/script.ts": "", "f/t/a__mod/util.ts": "" }, "l")).sort()).toEqual([
      "f/t/a__mod/script.lock",
      "f/t/a__mod/script.ts",
      "f/t/a__mod/script.yaml",
      "f/t/a__mod/util.ts",
    ]);
  });

  it("has the same text if nothing changes, and loses an old lock without packages", () => {
    const source = "export const main = () => 1;";
    const { "f/t/a.script.yaml": text = "" } = generate({ "f/t/a.ts": source }, "");
    const commented = text.replace("lock: ''\n", "").replace("summary", "# A comment\nsummary");
    expect(generate({ "f/t/a.ts": source, "f/t/a.script.yaml": commented }, "")["f/t/a.script.yaml"]).toBe(commented);
    const locked = { "f/t/a.ts": source, "f/t/a.script.yaml": "lock: '!inline f/t/a.script.lock'\n", "f/t/a.script.lock": "old" };
    expect(generate(locked, "")).toMatchObject({ "f/t/a.script.yaml": expect.stringContaining("lock: ''") });
    expect(generate(locked, "")).not.toHaveProperty("f/t/a.script.lock");
    expect(generate(locked)).toMatchObject({ "f/t/a.script.lock": "old", "f/t/a.script.yaml": expect.stringContaining("!inline") });
  });

  it("retains the schema of a source that cannot be read, and whether it has a preprocessor", () => {
    const schema = { type: "object", properties: { x: {} } };
    const item = { kind: "script", path: "f/t/a", value: { summary: "", schema, has_preprocessor: true } };
    const own = { schema, has_preprocessor: true };
    expect(inferFields({ ...item, language: "php", content: "<?php" })).toEqual(own);
    expect(inferFields({ ...item, language: "bun", content: "export const helper = 1;" })).toEqual(own);
    expect(inferFields({ ...item, language: "bun", content: "export function main(){}" })).not.toHaveProperty("has_preprocessor");
    const both = "export function preprocessor(event: any) {}\nexport function main() {}";
    expect(inferFields({ ...item, value: {}, language: "bun", content: both })).toMatchObject({ has_preprocessor: true });
  });
});

describe("a generated flow", () => {
  const folder = "f/t/flow.flow";
  const files = Object.fromEntries(Object.entries(project).filter(([file]) => file.startsWith(folder)));

  it("gets the locks of its inline scripts, and retains other files and an equal text of flow.yaml", () => {
    const notes = { ...files, [`${folder}/notes.md`]: "Notes" };
    const written = Object.fromEntries(replaceFlowLocks(itemAt(notes), new Map([["a", "new lock"]]), layout).files);
    expect(written).toEqual({ ...notes, [`${folder}/a.inline_script.lock`]: "new lock" });
  });

  it("loses the lock of a script without packages", () => {
    const written = replaceFlowLocks(itemAt(files), new Map([["a", ""]]), layout).files;
    expect([...written.keys()].sort()).toEqual(
      [`${folder}/a.inline_script.ts`, `${folder}/b.inline_script.sh`, `${folder}/flow.yaml`].sort(),
    );
    expect(written.get(`${folder}/flow.yaml`)).toContain("lock: ''");
  });

  it("remains in its folder if the layout names folders in another way", () => {
    const written = replaceFlowLocks(itemAt(files), new Map([["a", "l"]]), { ...layout, nonDottedPaths: true }).files;
    expect([...written.keys()].every((file) => file.startsWith(`${folder}/`))).toBe(true);
  });

  it("gets files for sources that are in flow.yaml itself", () => {
    const value = { modules: [{ id: "a", value: { type: "rawscript", language: "bun", content: "export {}", input_transforms: {} } }] };
    const own = toFiles({ kind: "flow", path: "f/t/flow", value: { summary: "" } }, layout);
    const local = { item: { kind: "flow", path: "f/t/flow", value: { summary: "", value } }, files: own };
    expect([...replaceFlowLocks(local, new Map([["a", "l"]]), layout).files.keys()].sort()).toEqual([
      `${folder}/a.inline_script.lock`,
      `${folder}/a.inline_script.ts`,
      `${folder}/flow.yaml`,
    ]);
  });
});
