import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defined } from "../../../contract/defined.ts";
import { findKind, kindNames } from "../../../contract/kinds/kinds.ts";
import type { ScriptLanguage } from "../../../contract/languages.ts";
import { anySyncItem, fileTypes } from "../../../test/builders/sync-items.ts";
import { baseName, placeOf } from "./file-place.ts";
import { type LayoutOptions, toFiles } from "./layout.ts";
import { parseFiles } from "./parse-files.ts";

const layouts: LayoutOptions[] = (["bun", "deno"] as const).flatMap((defaultTs) =>
  [false, true].map((nonDottedPaths) => ({ defaultTs, nonDottedPaths, fileTypes })),
);

describe("the layout of files", () => {
  it.each(layouts)("returns the same item from its files, and the same files from that item ($defaultTs, $nonDottedPaths)", (options) => {
    fc.assert(
      fc.property(anySyncItem, (item) => {
        const files = toFiles(item, options);
        const { items, problems } = parseFiles(files, options);
        expect(problems).toEqual([]);
        expect(items).toEqual([item]);
        for (const again of items) expect([...toFiles(again, options)].sort()).toEqual([...files].sort());
      }),
      { numRuns: 400 },
    );
  });

  const script = (path: string, language: ScriptLanguage, value: object = {}) => ({ kind: "script", path, language, content: "", value });
  const inline = (summary: string, language = "bun", lock?: string) => ({
    id: summary,
    summary,
    value: { type: "rawscript", content: "", language, ...defined({ lock }) },
  });
  const flow = (...modules: object[]) => ({ kind: "flow", path: "f/a/b", value: { value: { modules } } });
  const dotted: LayoutOptions = { defaultTs: "bun", nonDottedPaths: false, fileTypes };
  const undotted: LayoutOptions = { defaultTs: "deno", nonDottedPaths: true, fileTypes };

  it.each([
    ["a script with a lock", script("f/a/b", "bun", { lock: "x" }), dotted, ["f/a/b.script.lock", "f/a/b.script.yaml", "f/a/b.ts"]],
    ["a script of the other runtime", script("f/a/b", "bun"), undotted, ["f/a/b.bun.ts", "f/a/b.script.yaml"]],
    ["a script of Node.js", script("f/a/b", "nodejs"), dotted, ["f/a/b.node.ts", "f/a/b.script.yaml"]],
    ["a script with a dot in its name", script("f/a/v1.2", "bun"), dotted, ["f/a/v1.2__mod/script.ts", "f/a/v1.2__mod/script.yaml"]],
    [
      "a script with modules, of which two would have one lock file",
      script("f/a/b", "python3", {
        modules: {
          "x.py": { content: "", language: "python3", lock: "1" },
          "x.sh": { content: "", language: "bash", lock: "2" },
          "y/z.ts": { content: "", language: "bun", lock: "3" },
        },
      }),
      dotted,
      [
        ...["f/a/b__mod/script.py", "f/a/b__mod/script.yaml", "f/a/b__mod/x.py", "f/a/b__mod/x.py.lock"],
        ...["f/a/b__mod/x.sh", "f/a/b__mod/x.sh.lock", "f/a/b__mod/y/z.lock", "f/a/b__mod/y/z.ts"],
      ],
    ],
    [
      "a flow whose steps have equal names and names with special characters",
      flow(inline("Send Mail"), inline("send  mail", "python3", "x"), inline("../a:b*"), inline("..")),
      dotted,
      [
        ...["f/a/b.flow/ab.inline_script.ts", "f/a/b.flow/flow.yaml", "f/a/b.flow/script.inline_script.ts"],
        ...[
          "f/a/b.flow/send_mail.inline_script.ts",
          "f/a/b.flow/send_mail_1.inline_script.lock",
          "f/a/b.flow/send_mail_1.inline_script.py",
        ],
      ],
    ],
    [
      "a flow without dots",
      flow(inline("one"), inline("two", "nativets")),
      undotted,
      ["f/a/b__flow/flow.yaml", "f/a/b__flow/one.bun.ts", "f/a/b__flow/two.native.ts"],
    ],
    [
      "an app",
      { kind: "app", path: "f/a/b", value: { value: { grid: [{ name: "Save", inlineScript: { content: "", language: "bun" } }] } } },
      undotted,
      ["f/a/b__app/app.yaml", "f/a/b__app/save.bun.ts"],
    ],
    [
      "a resource of a type with a file",
      { kind: "resource", path: "f/a/b", value: { resource_type: "ini", value: { content: "" } } },
      dotted,
      ["f/a/b.resource.file.ini", "f/a/b.resource.yaml"],
    ],
    [
      "a resource that is a set of files",
      { kind: "resource", path: "f/a/b", value: { resource_type: "site", value: { "a.html": "", "css/b.css": "" } } },
      dotted,
      ["f/a/b.fileset/a.html", "f/a/b.fileset/css/b.css", "f/a/b.resource.yaml"],
    ],
    [
      "a set with a file that would not be read again",
      { kind: "resource", path: "f/a/b", value: { resource_type: "site", value: { ".env": "" } } },
      dotted,
      ["f/a/b.resource.yaml"],
    ],
    ["a resource type", { kind: "resource_type", path: "own", value: {} }, dotted, ["own.resource-type.yaml"]],
    ["a folder", { kind: "folder", path: "a", value: {} }, dotted, ["f/a/folder.meta.yaml"]],
    ["a schedule", { kind: "schedule", path: "f/a/b", value: {} }, dotted, ["f/a/b.schedule.yaml"]],
    ["a trigger", { kind: "kafka_trigger", path: "f/a/b", value: {} }, dotted, ["f/a/b.kafka_trigger.yaml"]],
    ["a member", { kind: "user", path: "ann@example.com", value: {} }, dotted, ["users/ann@example.com.user.yaml"]],
    ["a group", { kind: "group", path: "team", value: {} }, dotted, ["groups/team.group.yaml"]],
    ["the settings", { kind: "settings", path: "settings", value: {} }, dotted, ["settings.yaml"]],
    ["the key", { kind: "encryption_key", path: "encryption_key", value: "k" }, dotted, ["encryption_key.yaml"]],
    [
      "a list of package versions",
      { kind: "dependencies", path: "team.package.json", value: "{}" },
      dotted,
      ["dependencies/team.package.json"],
    ],
  ])("names the files of %s", (_, item, options, expected) => {
    expect([...toFiles(item, options).keys()].sort()).toEqual(expected);
  });

  it("reads an app as another client of this family writes it", () => {
    const read = (yaml: string) => parseFiles(new Map([["f/a/b.app/app.yaml", yaml]]), dotted).items[0]?.value;
    const app = { summary: "A", value: { grid: [] } };
    expect(read("summary: A\nvalue:\n  grid: []\n")).toEqual({ ...app, policy: { execution_mode: "publisher" } });
    expect(read("summary: A\nvalue:\n  grid: []\npublic: true\n")).toEqual({ ...app, policy: { execution_mode: "anonymous" } });
    expect(read("summary: A\nvalue:\n  grid: []\nguests: true\n")).toEqual({ ...app, policy: { execution_mode: "guest" } });
  });

  it("writes an app as another client of this family does", () => {
    const write = (execution_mode: string) => {
      const policy = { execution_mode, triggerables_v2: {}, s3_inputs: [], allowed_s3_keys: [] };
      return toFiles({ kind: "app", path: "f/a/b", value: { summary: "A", value: { grid: [] }, policy } }, dotted).get(
        "f/a/b.app/app.yaml",
      );
    };
    expect(write("publisher")).toBe("summary: A\nvalue:\n  grid: []\n");
    expect(write("anonymous")).toBe("summary: A\nvalue:\n  grid: []\npublic: true\n");
    expect(write("guest")).toBe("summary: A\nvalue:\n  grid: []\nguests: true\n");
  });

  it("reports what cannot be an item", () => {
    const problemOf = (...files: string[]) => parseFiles(new Map(files.map((file) => [file, "{}"])), dotted).problems[0];
    expect(problemOf("f/a/v1.2.script.yaml")).toMatchObject({ message: expect.stringContaining("f/a/v1.2__mod/script.ts") });
    expect(problemOf("f/a/b.raw_app/raw_app.yaml")).toMatchObject({ message: expect.stringContaining("stores no raw apps") });
    expect(problemOf("f/a/b.flow/step.ts")).toMatchObject({ file: "f/a/b.flow/step.ts" });
  });
});

describe("the file of an item", () => {
  const single = kindNames.filter((kind) => !["dependencies", "script"].includes(kind) && findKind(kind)?.layout === undefined);
  const pathOf = (kind: string) => ({ name: "x-1", none: kind, path: "f/a/b.c" })[findKind(kind)?.id ?? "path"];

  it.each(single)("is found by the item, and read as a part of no other one: %s", (kind) => {
    const path = pathOf(kind);
    expect(placeOf(`${baseName({ kind, path })}.yaml`, { defaultTs: "bun" })).toEqual({ kind, path, part: "main" });
  });

  it.each(["users/a/b.user.yaml", "a/b.resource-type.yaml", "users/.user.yaml", "f/folder.meta.yaml", "f/a/b/folder.meta.yaml"])(
    "is only at its own place: %s is not the file of an item",
    (file) => expect(placeOf(file, { defaultTs: "bun" })).toBeUndefined(),
  );
});
