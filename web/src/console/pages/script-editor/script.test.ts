import { describe, expect, it } from "vitest";
import { newScriptSchema } from "../../../../../contract/routes/stored/script.ts";
import { scriptTemplates } from "../../../../../contract/templates/script-templates.ts";
import { authoredFields, changeLanguage, hasChanges, listBothChanged, mergeFields, nextSchema, parseEdited } from "./script.ts";

const base = { path: "f/a/b", summary: "S", content: "a", language: "bun", timeout: 5 } as const;

describe("a script that is edited", () => {
  it("keeps each field that a version can have, without those that the service fills", () => {
    const filled = ["lock", "draft_only", "has_preprocessor"];
    const ofDeployment = ["parent_hash", "auto_parent", "deployment_message", "preserve_on_behalf_of", "skip_draft_deletion"];
    expect([...authoredFields, ...filled, ...ofDeployment].sort()).toEqual(Object.keys(newScriptSchema.shape).sort());
  });

  it("takes the changes of both people by field", () => {
    const merged = mergeFields(base, { ...base, summary: "theirs", tag: "gpu" }, { ...base, timeout: 9, content: "mine" });
    expect(merged).toEqual({ ...base, summary: "theirs", tag: "gpu", timeout: 9, content: "mine" });
    expect(mergeFields(base, base, { ...base, timeout: undefined }).timeout).toBeUndefined();
  });

  it("has the chosen value of a field that both people have changed", () => {
    const theirs = { ...base, summary: "theirs", timeout: 7, tag: "gpu" };
    const mine = { ...base, summary: "mine", timeout: 9, tag: "gpu", content: "mine" };
    expect(listBothChanged(base, theirs, mine)).toEqual(["summary", "timeout"]);
    expect(mergeFields(base, theirs, mine, new Set(["summary"]))).toEqual({ ...mine, summary: "theirs" });
  });

  it("has changes if a field differs, and an absent field equals null", () => {
    expect([hasChanges(base, { ...base, tag: null }), hasChanges(base, { ...base, tag: "x" })]).toEqual([false, true]);
  });

  it("begins with the template of a new language, unless its code was edited", () => {
    const { bun, python3, go } = scriptTemplates;
    const approval = { ...base, content: bun.approval ?? "" };
    expect(changeLanguage(approval, "python3").content).toBe(python3.approval);
    expect(changeLanguage(approval, "go").content).toBe(go.script);
    expect(changeLanguage(base, "go")).toEqual({ language: "go" });
  });

  it("is no value of another program", () => {
    expect([parseEdited({ content: "a" }), parseEdited("a"), parseEdited(base)]).toEqual([undefined, undefined, base]);
  });
});

it("the schema follows the code, and keeps what its author has added to a parameter", () => {
  const former = { properties: { a: { type: "string", format: "password" }, b: { type: "string" }, c: { type: "string", title: "C" } } };
  const inferred = { type: "object", properties: { a: { type: "string", description: "new" }, c: { type: "number" } }, required: ["a"] };
  expect(nextSchema(former, inferred)).toEqual({
    ...inferred,
    properties: { a: { type: "string", format: "password", description: "new" }, c: { type: "number" } },
  });
  expect(nextSchema(undefined, inferred)).toEqual(inferred);
});
