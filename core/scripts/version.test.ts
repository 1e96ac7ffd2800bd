import { describe, expect, it } from "vitest";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { chooseLock, computeVersionHash, isNoop, toConcurrencyRule, toInlineConcurrencyRule } from "./version.ts";

const aScript = (fields: object = {}) =>
  newScriptSchema.parse({ path: "f/ops/hello", summary: "", content: "export function main() {}", language: "bun", ...fields });

describe("the hash of a version", () => {
  it("is 16 hex digits and does not depend on the order of the fields", () => {
    const a = computeVersionHash("demo", "1", aScript({ tag: "x", timeout: 5 }));
    expect(a).toMatch(/^[0-9a-f]{16}$/);
    expect(computeVersionHash("demo", "1", aScript({ timeout: 5, tag: "x" }))).toBe(a);
  });
  it("differs by workspace, creation and every field", () => {
    const all = [
      computeVersionHash("demo", "1", aScript()),
      computeVersionHash("other", "1", aScript()),
      computeVersionHash("demo", "2", aScript()),
      computeVersionHash("demo", "1", aScript({ summary: "s" })),
      computeVersionHash("demo", "1", aScript({ parent_hash: "0123456789abcdef" })),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("the concurrency rule of a script", () => {
  it("treats a window of 0 and an empty key as absent", () => {
    expect(toConcurrencyRule(aScript({ concurrency_time_window_s: 0, concurrency_key: "" }), 3, "f/a/one")).toEqual({ limit: 3 });
    expect(toConcurrencyRule(aScript({ concurrency_time_window_s: 9, concurrency_key: "k" }), 3, "f/a/one")).toEqual({
      limit: 3,
      windowS: 9,
      key: "k",
      space: "f/a",
    });
  });
});

describe("the concurrency key of an inline script", () => {
  const ofFlow = (custom_concurrency_key: string | undefined, path: string | undefined) =>
    toInlineConcurrencyRule({ custom_concurrency_key }, 1, { path, permissionedAs: "u/ann" });

  it("is limited to the folder of its flow, whatever it begins with, or to the user of a preview", () => {
    expect(ofFlow("f/b/k", "f/a/flow")).toEqual({ limit: 1, key: "f/b/k", space: "f/a" });
    expect(ofFlow("k", undefined)).toEqual({ limit: 1, key: "k", space: "u/ann" });
    expect(ofFlow(undefined, "f/a/flow")).toEqual({ limit: 1 });
  });
});

describe("isNoop", () => {
  it("treats absent and null as equal and ignores how a version was created", () => {
    expect(isNoop(aScript(), aScript({ tag: null, auto_parent: true, deployment_message: "again" }))).toBe(true);
  });
  it("detects a changed field", () => {
    expect(isNoop(aScript(), aScript({ timeout: 5 }))).toBe(false);
    expect(isNoop(aScript({ schema: { a: 1 } }), aScript())).toBe(false);
  });
});

describe("chooseLock", () => {
  it.each([
    ["the lock that was sent", "sent", "resolved", "sent"],
    ["the lock that was sent, even if the build needs no packages", "sent", "", "sent"],
    ["the lock that was sent, while the build runs", "sent", undefined, "sent"],
    ["that of the build for an empty lock", "", "resolved", "resolved"],
    ["that of the build for null", null, "resolved", "resolved"],
    ["that of the build without a lock", undefined, "resolved", "resolved"],
    ["an empty lock for a script without packages", undefined, "", ""],
    ["none before the build", undefined, undefined, undefined],
    ["the empty lock before the build", "", undefined, ""],
  ])("returns %s", (_, sent, built, expected) => {
    expect(chooseLock(sent, built)).toBe(expected);
  });
});
