import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { describeItem, type SnapshotItem } from "../project/snapshot-item.ts";
import { planSync } from "./changes.ts";
import { readPlanFile, selectPlanned, writePlanFile } from "./plan-file.ts";
import { formatPlan } from "./plan-text.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-plan-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "plan.json");
const target = { url: "https://svc.example.com", workspace: "demo", token: "t", source: "svc.yaml" };

const variable = (name: string, value: string) => {
  const path = `f/t/${name}`;
  const item = { kind: "variable", path, value: { value, is_secret: false, description: "" } };
  return [
    String(`variable ${path}`),
    describeItem(item, () => new Map([[`${path}.variable.yaml`, `value: ${value}\n`]]), undefined),
  ] as const;
};
const snapshot = (values: Record<string, string>) => new Map(Object.entries(values).map(([name, value]) => variable(name, value)));
const plan = (local: Map<string, SnapshotItem>, remote: Map<string, SnapshotItem>) =>
  planSync("push", { local, remote, base: undefined, force: false, hasBundles: true });

describe("a plan file", () => {
  it.each([
    ["that is no JSON", "{", "is not a plan of svc"],
    ["that is empty", "", "is not a plan of svc"],
    ["of another program", '{"version": 2}', "is not a plan of svc"],
    ["with broken changes", JSON.stringify({ version: 1, ...target, changes: [{}] }), "is not a plan of svc"],
    ["for another workspace", JSON.stringify({ version: 1, ...target, workspace: "prod", changes: [] }), "is a plan for prod at"],
  ])("%s is refused with a sentence", (_, text, message) => {
    writeFileSync(file, text);
    expect(() => readPlanFile(file, target)).toThrow(message);
  });

  it("that does not exist is refused with a sentence", () => {
    expect(() => readPlanFile(join(folder, "none.json"), target)).toThrow("The plan cannot be read: ENOENT");
  });

  it("limits a push to its items, and accepts items that an earlier attempt has applied", () => {
    const [local, remote] = [snapshot({ a: "new", b: "new" }), snapshot({ a: "old", b: "old" })];
    writePlanFile({ root: folder }, file, target, plan(local, remote));
    const content = readPlanFile(file, target);
    const later = { local: snapshot({ a: "new", b: "new", c: "new" }), remote: snapshot({ a: "new", b: "old", d: "old" }) };
    const chosen = selectPlanned(plan(later.local, later.remote), content, { file, ...later });
    expect(chosen.map(({ type, path, reason }) => [type, path, reason])).toEqual([
      ["change", "f/t/b", undefined],
      ["skip", "f/t/c", "it is not part of the plan"],
      ["skip", "f/t/d", "it is not part of the plan"],
    ]);
    const changed = { local: snapshot({ a: "new", b: "other" }), remote };
    expect(() => selectPlanned(plan(changed.local, changed.remote), content, { file, ...changed })).toThrow(
      "The plan no longer holds, because these items have changed since: variable f/t/b.",
    );
  });
});

it("a short plan shows changed lines, and one line for a lock and for a file that is new or removed", () => {
  const script = (files: Record<string, string>) =>
    describeItem({ kind: "script", path: "f/t/a", value: files }, () => new Map(Object.entries(files)), undefined);
  const lock = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`).join("");
  const changes = plan(
    new Map<string, SnapshotItem>([
      ["script f/t/a", script({ "f/t/a.ts": "one\ntwo\n", "f/t/a.script.lock": lock(300), "f/t/a.script.yaml": "x: 1\n" })],
    ]),
    new Map<string, SnapshotItem>([["script f/t/a", script({ "f/t/a.ts": "one\n2\n", "f/t/a.script.lock": lock(200) })]]),
  );
  expect(formatPlan(changes, "push", { diffs: "short" }).split("\n")).toEqual([
    "~ change script f/t/a",
    "  ~ f/t/a.script.lock (300 lines, before 200 lines)",
    "  + f/t/a.script.yaml (1 line)",
    "  ~ f/t/a.ts",
    "    @@ -1,2 +1,2 @@",
    "     one",
    "    -2",
    "    +two",
    "1 to change.",
  ]);
});
