import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Codebase } from "../../core/sync/config/config.ts";
import { CommandError } from "../errors.ts";
import { requireConsent } from "./consent.ts";

let folder: string;
let root: string;
let questions: string[];
let answer: boolean;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-consent-"));
  root = join(folder, "project");
  mkdirSync(root);
  writeFileSync(join(root, "bundler.mjs"), "one");
  vi.stubEnv("SVC_CONFIG_DIR", join(folder, "config"));
  [questions, answer] = [[], true];
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const codebase: Codebase = { relative_path: "f/a", customBundler: "bundler.mjs" };
const ask = async (codebases: Codebase[], { yes = false, at = root } = {}) => {
  const flags = { yes, json: false, verbose: false };
  const confirm = async (question: string) => {
    questions.push(question);
    if (!answer) throw new CommandError("Canceled.");
  };
  await requireConsent({ flags, confirm }, at, codebases);
  return questions.length;
};

describe("requireConsent", () => {
  it("asks once for each folder, and stores the answer outside of it", async () => {
    expect([await ask([codebase, codebase]), await ask([codebase])]).toEqual([1, 1]);
    expect(questions[0]).toContain("Run the program bundler.mjs of this repository, which bundles f/a?");
    const file = join(folder, "config/bundlers.json");
    expect(Object.keys(JSON.parse(readFileSync(file, "utf8")) as object)).toEqual([join(root, "f/a")]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("asks again in another folder or after a change of the program or its configuration, and remembers both versions", async () => {
    await ask([codebase]);
    writeFileSync(join(root, "bundler.mjs"), "two");
    expect(await ask([codebase])).toBe(2);
    expect(await ask([{ ...codebase, format: "cjs" }])).toBe(3);
    expect(await ask([{ ...codebase, relative_path: "f/b" }])).toBe(4);
    const copy = join(folder, "copy");
    mkdirSync(copy);
    writeFileSync(join(copy, "bundler.mjs"), "two");
    expect(await ask([codebase], { at: copy })).toBe(5);
    writeFileSync(join(root, "bundler.mjs"), "one");
    expect(await ask([codebase])).toBe(5);
  });

  it("throws and remembers nothing if a person refuses", async () => {
    answer = false;
    await expect(ask([codebase])).rejects.toThrow("Canceled.");
    answer = true;
    expect(await ask([codebase])).toBe(2);
  });

  it("does not ask with --yes, which applies to one command", async () => {
    expect(await ask([codebase], { yes: true })).toBe(0);
    expect(await ask([codebase])).toBe(1);
  });

  it("does not ask for esbuild, which executes no code of the repository", async () => {
    expect(await ask([{ relative_path: "f/a", inject: ["bundler.mjs"] }])).toBe(0);
  });
});
