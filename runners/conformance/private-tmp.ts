import { existsSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { effectiveTmpMode, visibleBelowTmp } from "../shared/process/tmp.ts";
import { filesOfJobs, type Runner, startRunner } from "./harness.ts";

/** The guarantees of a private /tmp. A process has one work directory, so each call needs a separate test file. */
export function describePrivateTmp(directory: string): void {
  describe("a private /tmp", () => {
    let runner: Runner;
    beforeAll(async () => {
      runner = await startRunner("bun", { SVC_TMP_MODE: "private" });
    });
    afterAll(async () => {
      await runner.close();
      process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
    });

    it("a job's files in it are invisible to others and removed after the job", async (context) => {
      if (effectiveTmpMode() !== "private") return context.skip("this kernel does not allow a mount namespace here");
      const name = `/tmp/svc-test-${process.pid}`;
      const code = `import fs from "node:fs"; export function main(name) { const found = fs.readdirSync("/tmp").sort(); fs.writeFileSync(name, "x"); return found; }`;
      for (let i = 0; i < 2; i++) {
        expect(await runner.run({ code, args: { name }, params: ["name"] })).toMatchObject({
          outcome: "success",
          result: visibleBelowTmp().toSorted(),
        });
        expect(existsSync(name)).toBe(false);
      }
    });

    it("a job sees no other job's directory", async (context) => {
      if (effectiveTmpMode() !== "private") return context.skip("this kernel does not allow a mount namespace here");
      const code = `import fs from "node:fs"; export function main() { fs.writeFileSync("mine", ""); return [fs.readdirSync(".."), fs.readdirSync("../..").length, fs.existsSync("mine")]; }`;
      const outcomes = await Promise.all([1, 2, 3].map(() => runner.run({ code })));
      for (const { result } of outcomes) expect(result).toEqual([expect.arrayContaining(["job"]), 1, true]);
      expect(filesOfJobs(runner)).toEqual([]);
    });

    it("the supervisor reports the effective mode", () => {
      expect(["private", "none"]).toContain(effectiveTmpMode());
    });
  });
}
