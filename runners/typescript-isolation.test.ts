import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOfJobs, isAlive, type Runner, startRunner, until } from "./conformance/harness.ts";

/** Behaviour that all TypeScript languages share. */
describe.each(["bun", "nodejs", "deno"] as const)("a %s script", (language) => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner(language);
  });
  afterAll(() => runner.close());

  const result = async (code: string, args: Record<string, unknown> = {}, more = {}) => {
    const outcome = await runner.run({ code, args, ...more });
    expect(outcome.error).toBeUndefined();
    return outcome.result;
  };
  describe("isolation", () => {
    const env = language === "deno" ? "Deno.env.toObject()" : "process.env";

    it("the script sees the job's variables and none of the supervisor's", async () => {
      const seen = (await result(
        `export function main() { return { ...${env} }; }`,
        {},
        { env: { WM_JOB_ID: "j1", OWN: "x", AWS_REGION: "no" } },
      )) as Record<string, string>;
      expect(Object.keys(seen).sort()).toEqual(["HOME", "LANG", "OWN", "PATH", "SVC_PROCESS_TAG", "TMPDIR", "WM_JOB_ID"]);
      expect(JSON.stringify(seen)).not.toMatch(/never-to-be-seen|secret-job-token|nonce-of-this-attempt/);
    });

    it("the script passes the job's variables to its children", async () => {
      const code = `import { execSync } from "node:child_process";
        export function main() { return [execSync("echo $OWN").toString(), globalThis.Bun ? Bun.spawnSync(["sh", "-c", "echo $OWN"]).stdout.toString() : "x\\n"]; }`;
      expect(await result(code, {}, { env: { OWN: "x" } })).toEqual(["x\n", "x\n"]);
    });

    it("the script has an empty private directory with mode 0700, which is removed after the run", async () => {
      const code = `import fs from "node:fs"; import os from "node:os"; import process from "node:process";
        export function main() {
          const found = fs.readdirSync(".", { recursive: true });
          fs.writeFileSync("left.txt", "x"); fs.writeFileSync(process.env.TMPDIR + "/left.txt", "x"); fs.mkdirSync("locked/deep", { recursive: true }); fs.chmodSync("locked", 0);
          return { found, cwd: process.cwd(), home: process.env.HOME, tmp: os.tmpdir(), mode: (fs.statSync(".").mode & 0o777).toString(8) };
        }`;
      const seen = (await result(code)) as { found: string[]; cwd: string; home: string; tmp: string; mode: string };
      expect(seen).toEqual({ found: ["tmp"], cwd: seen.home, home: seen.home, tmp: `${seen.home}/tmp`, mode: "700" });
      expect(existsSync(`${seen.home}/left.txt`)).toBe(false);
      expect(filesOfJobs(runner)).toEqual([]);
    });

    it("the script has fresh modules, globals and environment in every run", async () => {
      const code = `import process from "node:process"; let count = 0;
        export function main() { count++; globalThis.seen = (globalThis.seen ?? 0) + 1; const before = process.env.LEFT ?? null; process.env.LEFT = "x"; Array.prototype.bad = 1; return [count, globalThis.seen, before]; }`;
      for (let i = 0; i < 3; i++) expect(await result(code)).toEqual([1, 1, null]);
    });

    it("the script leaves no process behind, in whatever group or session", async () => {
      const code = `import { spawn, execSync } from "node:child_process"; import fs from "node:fs";
        export async function main() {
          spawn("sleep", ["300"], { stdio: "ignore" }).unref();
          spawn("sleep", ["301"], { stdio: "ignore", detached: true }).unref();
          execSync("(setsid sh -c 'echo $$ > daemon.pid; exec sleep 302' > /dev/null 2>&1 &) ; (env -i setsid sh -c 'echo $$ > naked.pid; exec sleep 303' > /dev/null 2>&1 &)");
          while (!fs.existsSync("daemon.pid") || !fs.existsSync("naked.pid")) await new Promise((r) => setTimeout(r, 5));
          await new Promise((r) => setTimeout(r, 20));
          return [execSync("pgrep -P " + globalThis.process?.pid + " || true").toString().trim().split("\\n").map(Number), Number(fs.readFileSync("daemon.pid")), Number(fs.readFileSync("naked.pid"))].flat();
        }`;
      const ids = ((await result(code)) as number[]).filter((id) => id > 0);
      expect(ids.length).toBeGreaterThanOrEqual(2);
      await until(() => !ids.some(isAlive));
    });

    it("the script can run twenty times without leaking descriptors, files or processes", async () => {
      const descriptors = async () => (await import("node:fs")).readdirSync("/proc/self/fd").length;
      const code = "export function main(i) { console.log('run', i); return i; }";
      await result(code, { i: -1 });
      await result(code, { i: -1 });
      const before = await descriptors();
      for (let i = 0; i < 20; i++) {
        const outcome = await runner.run({ code, args: { i } });
        expect(outcome).toMatchObject({ outcome: "success", result: i, logs: { offset: 0, text: `run ${i}\n` } });
      }
      // A spare host that is being prepared has three pipes open.
      expect((await descriptors()) - before).toBeLessThan(12);
      expect(filesOfJobs(runner)).toEqual([]);
    });
  });

  describe("limits", () => {
    it("an endless loop is stopped at its time limit", async () => {
      const outcome = await runner.run({ code: "export function main() { console.log('in'); for (;;); }", timeoutMs: 300 });
      expect(outcome).toMatchObject({
        outcome: "timeout",
        error: { name: "TimeoutError", message: "The script ran longer than its limit of 0.3 s and was stopped." },
        logs: { offset: 0, text: "in\n" },
      });
      expect(await result("export function main() { return 'next'; }")).toBe("next");
    });

    it("a loop that continues after the result is stopped", async () => {
      const code = "export function main() { setTimeout(() => { for (;;); }, 0); return 'early'; }";
      expect(await result(code)).toBe("early");
      expect(await result(code)).toBe("early");
    });

    it("the memory use is reported", async () => {
      const outcome = await runner.run({ code: "export function main() { return new Uint8Array(50_000_000).fill(1).length; }" });
      if (process.platform === "linux") expect(outcome.memPeakKb).toBeGreaterThan(50_000);
    });

    it("output after the result is dropped", async () => {
      const code = "export function main(i) { setInterval(() => console.log('late of', i), 1); return i; }";
      for (let i = 0; i < 5; i++) {
        const { logs } = await runner.run({ code, args: { i }, params: ["i"] });
        for (const line of logs.text.split("\n").filter(Boolean)) expect(line).toBe(`late of ${i}`);
      }
    });
  });
});
