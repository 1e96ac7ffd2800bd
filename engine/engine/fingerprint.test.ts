import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deployedSources, sourceFingerprint, templateFingerprint } from "./fingerprint.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "fingerprint-"));
  for (const [file, text] of [
    ["core/jobs/record/job.ts", "one"],
    ["lib/stack.ts", "two"],
    ["docs/decisions/one.md", "three"],
  ] as const) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (file: string, text: string) => writeFileSync(path.join(root, file), text);

describe("sourceFingerprint", () => {
  it("the fingerprint is stable while no deployed file changes", () => {
    const before = sourceFingerprint(root, { url: "x" });
    write("docs/decisions/one.md", "other");
    write("core/jobs/record/job.test.ts", "a test");
    expect(sourceFingerprint(root, { url: "x" })).toBe(before);
  });

  it("the fingerprint changes with a source, a new file, a renamed file and the settings", () => {
    const before = sourceFingerprint(root, { url: "x" });
    expect(sourceFingerprint(root, { url: "y" })).not.toBe(before);
    write("core/jobs/record/job.ts", "changed");
    const changed = sourceFingerprint(root, { url: "x" });
    expect(changed).not.toBe(before);
    write("core/jobs/more.ts", "");
    expect(sourceFingerprint(root, { url: "x" })).not.toBe(changed);
  });
});

describe("deployedSources", () => {
  it("the sources contain the command line and the clients, because a deployment serves their packages", () => {
    expect(deployedSources).toEqual(expect.arrayContaining(["cli", "clients"]));
  });
});

describe("templateFingerprint", () => {
  it("the fingerprint depends only on templates", () => {
    write("svc.template.json", "{}");
    const before = templateFingerprint(root);
    write("manifest.json", "{}");
    expect(templateFingerprint(root)).toBe(before);
    write("svc.template.json", '{"Resources":{}}');
    expect(templateFingerprint(root)).not.toBe(before);
  });
});
