import { describe, expect, it } from "vitest";
import { digestItem } from "../digest.ts";
import { planChanges } from "../plan.ts";
import {
  bundleFormatOf,
  computeBundleDigest,
  findBundledLanguage,
  findCodebases,
  readBundleDigest,
  toInnerPath,
  withoutBundleDigest,
} from "./codebase.ts";
import type { Codebase } from "./config.ts";

describe("toInnerPath", () => {
  it.each([
    [".", ""],
    ["./f/", "f"],
    ["f/../u//x", "u/x"],
    ["..", undefined],
    ["f/../../x", undefined],
    ["/etc", undefined],
    ["C:\\x", undefined],
    ["f\\..\\..\\x", undefined],
  ])("the path %j is %j inside the folder", (path, expected) => {
    expect(toInnerPath(path)).toBe(expected);
  });
});

describe("findCodebases", () => {
  it.each<[string, Omit<Codebase, "relative_path"> & { relative_path?: string }, string, boolean]>([
    ["the folder itself contains every script", { relative_path: "." }, "f/a/x.ts", true],
    ["a script below the folder belongs to it", { relative_path: "./f/a/" }, "f/a/x.ts", true],
    ["a folder with a longer name is another one", { relative_path: "f/a" }, "f/ab/x.ts", false],
    ["`includes` is relative to svc.yaml", { includes: ["f/a/x*"] }, "f/a/x.ts", true],
    ["`includes` is relative to the folder", { includes: ["./sub/**"] }, "f/a/sub/x.ts", true],
    ["`includes` leaves out other scripts", { includes: ["sub/**"] }, "f/a/x.ts", false],
    ["`excludes` leaves out a script", { excludes: ["x.ts"] }, "f/a/x.ts", false],
    ["`excludes` wins over `includes`", { includes: ["**"], excludes: ["f/a/x.ts"] }, "f/a/x.ts", false],
    ["a folder outside of the project contains nothing", { relative_path: "../f/a" }, "f/a/x.ts", false],
  ])("%s", (_name, codebase, file, expected) => {
    expect(findCodebases(file, [{ relative_path: "f/a", ...codebase }])).toEqual(expected ? [0] : []);
  });

  it("returns every codebase that contains a file", () => {
    expect(findCodebases("f/a/x.ts", [{ relative_path: "f" }, { relative_path: "u" }, { relative_path: "f/a" }])).toEqual([0, 2]);
  });
});

describe("findBundledLanguage", () => {
  const script = (language: string, content = "") =>
    findBundledLanguage({ kind: "script", path: "f/a/x", value: {}, content, language: language as "bun" });
  it("runs scripts of bun and nodejs as bundles, and others from their source", () => {
    expect([script("bun"), script("nodejs"), script("nativets"), script("bun", "//nodejs\n")]).toEqual([
      "bun",
      "nodejs",
      "nodejs",
      "nodejs",
    ]);
    expect([script("deno"), script("python3"), script("php")]).toEqual([undefined, undefined, undefined]);
    expect(findBundledLanguage({ kind: "flow", path: "f/a/x", value: {} })).toBeUndefined();
  });

  it("has a format for each of them, and the one of the codebase first", () => {
    const formats = [{}, { format: "cjs" }, { format: "esm" }] as const;
    expect(formats.map((codebase) => bundleFormatOf({ relative_path: ".", ...codebase }, "bun"))).toEqual(["esm", "cjs", "esm"]);
    expect(formats.map((codebase) => bundleFormatOf({ relative_path: ".", ...codebase }, "nodejs"))).toEqual(["cjs", "cjs", "esm"]);
  });
});

it("the digest of a bundle names its kind at its end", () => {
  const sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
  const digest = (format: "cjs" | "esm" | undefined, tar: boolean) => computeBundleDigest(Buffer.from("hello"), { format, tar });
  expect([digest("cjs", false), digest("esm", false), digest(undefined, true), digest("esm", true)]).toEqual([
    sha256,
    `${sha256}.esm`,
    `${sha256}.tar`,
    `${sha256}.esm.tar`,
  ]);
});

describe("the plan for a script in a codebase", () => {
  const script = (summary: string, bundle?: string) => {
    const value = { summary, lock: "", codebase: "as its file has it" };
    const digest = digestItem(withoutBundleDigest({ kind: "script", path: "f/a/x", language: "bun", content: "", value }));
    return new Map([["s", { ...digest, ...(bundle ? { bundle } : {}) }]]);
  };
  // Letters are bundles of the same files. A pull builds no bundle, so the local one is unknown.
  it.each([
    ["a", "a", "a", []],
    ["a", "b", "a", ["change: its bundle has changed"]],
    ["a", "a", "b", ["skip: changed in the workspace since the last pull"]],
    ["a", "b", "b", []],
    ["a", "b", "c", ["conflict"]],
    ["none", "b", "a", ["change: its bundle has changed"]],
  ])("the last bundle was %s, the files make %s, and the workspace has %s", (base, local, remote, expected) => {
    const before = base === "none" ? undefined : script("x", base);
    const push = planChanges({ direction: "push", local: script("x", local), remote: script("x", remote), base: before });
    expect(push.map(({ type, reason }) => (reason ? `${type}: ${reason}` : type))).toEqual(expected);
    expect(planChanges({ direction: "pull", local: script("x"), remote: script("x", remote), base: before })).toEqual([]);
  });

  it("pulls changes of its files, whatever bundle the workspace has", () => {
    const pull = planChanges({ direction: "pull", local: script("x"), remote: script("y", "b"), base: script("x", "a") });
    expect(pull).toMatchObject([{ type: "change" }]);
  });

  it("reads the bundle of a script from its item", () => {
    const item = (codebase: unknown) => ({ kind: "script", path: "f/a/x", value: { codebase } });
    expect([readBundleDigest(item("d.esm")), readBundleDigest(item("")), readBundleDigest(item(null))]).toEqual([
      "d.esm",
      undefined,
      undefined,
    ]);
  });
});
