import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOfJobs, type Runner, startRunner } from "./conformance/harness.ts";
import { effectiveTmpMode } from "./shared/process/tmp.ts";

/** Outside of /tmp, as the engine has it. */
const svcDir = join(resolve(import.meta.dirname, ".."), ".svc");
mkdirSync(svcDir, { recursive: true });
const workDir = mkdtempSync(join(svcDir, "test-private-tmp-"));

describe("with a private /tmp", () => {
  let runner: Runner;
  beforeAll(async () => {
    process.env["SVC_WORK_DIR"] = workDir;
    runner = await startRunner("bun", { SVC_TMP_MODE: "private" });
  });
  afterAll(async () => {
    await runner.close();
    process.once("exit", () => rmSync(workDir, { recursive: true, force: true }));
  });

  it("a job's files there are seen by nobody else and gone after it", async (context) => {
    if (effectiveTmpMode() !== "private") return context.skip("this kernel lets nobody here make a mount namespace");
    const name = `/tmp/svc-test-${process.pid}`;
    const code = `import fs from "node:fs"; export function main(name) { const found = fs.readdirSync("/tmp"); fs.writeFileSync(name, "x"); return found; }`;
    for (let i = 0; i < 2; i++) {
      expect(await runner.run({ code, args: { name }, params: ["name"] })).toMatchObject({ outcome: "success", result: [] });
      expect(existsSync(name)).toBe(false);
    }
  });

  it("no other job's directory is in sight", async (context) => {
    if (effectiveTmpMode() !== "private") return context.skip("this kernel lets nobody here make a mount namespace");
    const code = `import fs from "node:fs"; export function main() { fs.writeFileSync("mine", ""); return [fs.readdirSync(".."), fs.readdirSync("../..").length, fs.existsSync("mine")]; }`;
    const outcomes = await Promise.all([1, 2, 3].map(() => runner.run({ code })));
    for (const { result } of outcomes) expect(result).toEqual([expect.arrayContaining(["job"]), 1, true]);
    expect(filesOfJobs(runner)).toEqual([]);
  });

  it("says in its log line which mode holds", () => {
    expect(["private", "none"]).toContain(effectiveTmpMode());
  });
});
