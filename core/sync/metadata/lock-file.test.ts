import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { formatLockFile, hashFlow, hashScript, isKeyOf, LOCK_FILE, parseLockFile } from "./lock-file.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const lists = { "dependencies/package.json": "{}" };

describe("the hash of a script", () => {
  it.each([
    ["has no lists", {}, "{}source: metadata"],
    ["uses a list", lists, '{"dependencies/package.json":"{}"}source: metadata'],
  ])("is that of lists, source and metadata when the script %s", (_, used, text) => {
    expect(hashScript({ source: "source", metadata: ": metadata", lists: used })).toBe(sha256(text));
  });
});

describe("the hashes of a flow", () => {
  const [a, b] = [sha256('A{"dependencies/package.json":"{}"}'), sha256("B{}")];
  const folder = "f/t/flow.flow";
  it.each([
    [
      "one for each file and one for all, whatever the order of the scripts",
      [
        { file: "b.inline_script.py", source: "B", lists: {} },
        { file: "a.inline_script.ts", source: "A", lists },
      ],
      {
        [`${folder}+a.inline_script.ts`]: a,
        [`${folder}+b.inline_script.py`]: b,
        [`${folder}+__flow_hash`]: sha256(`{"a.inline_script.ts":"${a}","b.inline_script.py":"${b}"}`),
      },
    ],
    ["one for all without inline scripts", [], { [`${folder}+__flow_hash`]: sha256("{}") }],
  ])("are %s", (_, scripts, expected) => {
    expect(Object.fromEntries(hashFlow(folder, scripts))).toEqual(expected);
  });

  it.each([
    ["f/t/a", "f/t/a", true],
    ["f/t/a.flow+x.ts", "f/t/a.flow", true],
    ["f/t/ab", "f/t/a", false],
    ["f/t/a.flow+x.ts", "f/t/a", false],
  ])("the key %s belongs to %s: %s", (key, owner, expected) => {
    expect(isKeyOf(key, owner)).toBe(expected);
  });
});

describe("the file of recorded hashes", () => {
  const text = "version: v2\nlocks:\n  f/t/a.flow+__flow_hash: h2\n  f/t/script: h1\n";

  it("is sorted, whatever the order of the hashes", () => {
    const hashes: [string, string][] = [
      ["f/t/script", "h1"],
      ["f/t/a.flow+__flow_hash", "h2"],
    ];
    expect(formatLockFile(new Map(hashes))).toBe(text);
    expect(formatLockFile(new Map(hashes.toReversed()))).toBe(text);
    expect(parseLockFile(text)).toEqual({ hashes: new Map(hashes.toReversed()) });
  });

  it("is empty if it does not exist", () => {
    expect(parseLockFile(undefined)).toEqual({ hashes: new Map() });
  });

  it.each([
    ["a conflict of git", "version: v2\n<<<<<<< HEAD\nlocks: {}\n", { file: LOCK_FILE, line: 2 }],
    ["another version", "version: v1\nlocks: {}\n", { file: LOCK_FILE, message: expect.stringContaining("version: v2") }],
    ["something else", "- 1\n", { file: LOCK_FILE, message: expect.stringContaining("delete it and run: svc generate-metadata") }],
  ])("has a problem with %s", (_, wrong, problem) => {
    expect(parseLockFile(wrong)).toEqual({ problem: expect.objectContaining(problem) });
  });
});
