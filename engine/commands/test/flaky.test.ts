import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../test/support/until.ts";

const checkout = path.join(import.meta.dirname, "../../..");
const url = (file: string) => JSON.stringify(path.join(checkout, file));
let folder: string;

/** A test whose body fails in the first run of its file alone: the file leaves a mark. */
const failsOnce = (name: string, fault: string) => `
import { existsSync, writeFileSync } from "node:fs";
const mark = new URL("${name}.mark", import.meta.url);
const isFirst = !existsSync(mark);
writeFileSync(mark, "");
const fault = () => { ${fault} };
`;
const fails = 'throw new Error("first run");';

const files: Record<string, string> = {
  good: 'it("passes", () => {});\nit.skip("is skipped", () => {});',
  flaky: `${failsOnce("flaky", fails)}it("fails once", () => { if (isFirst) fault(); });\nit("passes", () => {});`,
  load: `${failsOnce("load", fails)}if (isFirst) fault();\nit("loads", () => {});`,
  dead: `${failsOnce("dead", 'process.kill(process.pid, "SIGKILL");')}it("dies once", () => { if (isFirst) fault(); });`,
  late: `${failsOnce("late", `void Promise.reject(new Error("late"));`)}it("rejects late", async () => { if (isFirst) fault(); await new Promise(setImmediate); });`,
  bad: 'it("fails", () => { throw new Error("always"); });',
  evasive: `${failsOnce("evasive", fails)}it.skipIf(!isFirst)("evades", () => fault());\nit("passes", () => {});`,
  waits:
    'import { writeFileSync } from "node:fs";\nit("waits", () => { writeFileSync("waits.mark", ""); return new Promise(() => setInterval(() => {}, 1000)); });',
  endless: `${failsOnce("endless", fails)}it("ends", () => { if (isFirst) fault(); return new Promise(() => setInterval(() => {}, 1000)); });`,
};

interface Options {
  /** The options of `runTests`, as source text. */
  options?: string;
  args?: string[];
  /** Ends the run like Ctrl-C as soon as this file exists. */
  stopAt?: string;
}

/** Runs `npm test` over the files, in a folder with a separate configuration. Resolves with the exit code and the lines of the output. */
async function runTests(names: string[], { options = "", args = [], stopAt }: Options = {}): Promise<{ code: number; lines: string[] }> {
  for (const name of names) writeFileSync(path.join(folder, `${name}.test.ts`), files[name] ?? "");
  writeFileSync(
    path.join(folder, "vitest.config.ts"),
    `export default { test: { reporters: [${url("test/support/reporter/reporter.ts")}], globals: true, maxWorkers: 2, testTimeout: 60_000,
      projects: [{ extends: true, test: { name: "small", include: ["*.test.ts"], isolate: false } }] } };`,
  );
  writeFileSync(
    path.join(folder, "run.ts"),
    `import { runTests } from ${url("engine/commands/test/second-run.ts")};
process.exitCode = await runTests({ root: import.meta.dirname, args: process.argv.slice(2), ${options} });`,
  );
  // The variables of this vitest must not reach another one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^VITEST|^SVC_TEST_|^NODE_ENV$|^TEST$/.test(name)));
  const child = spawn(process.execPath, [path.join(folder, "run.ts"), ...args], { cwd: folder, env: { ...env, NO_COLOR: "1" } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const closed = once(child, "close");
  if (stopAt) {
    await until(() => existsSync(path.join(folder, stopAt)), { what: stopAt });
    child.kill("SIGINT");
  }
  const [code] = (await closed) as [number | null];
  return { code: code ?? -1, lines: output.trimEnd().split("\n") };
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "svc-flaky-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const flaky = (...names: string[]) => names.map((name) => `flaky: ${name}.test.ts failed, then passed when it ran alone`);
const skipped = "skipped: good.test.ts > is skipped: no reason given";

describe("npm test", () => {
  it("repeats each failed file alone, names those that pass, and succeeds", async () => {
    const { code, lines } = await runTests(["good", "flaky", "load", "dead", "late"]);
    expect(lines.slice(-6)).toEqual([skipped, ...flaky("dead", "flaky", "late", "load"), "6 passed, 0 failed, 1 skipped"]);
    expect(code).toBe(0);
  });

  it("fails for the same files with --strict, and counts the first run", async () => {
    const { code, lines } = await runTests(["good", "flaky"], { options: "isStrict: true" });
    expect(lines.slice(-3)).toEqual([skipped, ...flaky("flaky"), "2 passed, 1 failed, 1 skipped"]);
    expect(code).toBe(1);
  });

  it("fails for a file that fails twice or skips its failed test, and still names a flaky one", async () => {
    const { code, lines } = await runTests(["good", "flaky", "bad", "evasive"]);
    expect(lines.slice(-3)).toEqual([skipped, ...flaky("flaky"), "4 passed, 2 failed, 1 skipped"]);
    expect(code).toBe(1);
  });

  it("ends a second run that takes too long", async () => {
    const { code, lines } = await runTests(["good", "endless"], { options: "limits: { maxFiles: 5, timeoutMs: 3_000 }" });
    expect(lines.slice(-2)).toEqual([skipped, "1 passed, 1 failed, 1 skipped"]);
    expect(lines).toContain("endless.test.ts failed. It runs a second time, alone:");
    expect(code).toBe(1);
  });

  it("repeats nothing after an interruption", async () => {
    const { code, lines } = await runTests(["good", "flaky", "waits"], { stopAt: "waits.mark" });
    expect(lines.join("\n")).not.toContain("second time");
    expect(code).not.toBe(0);
  });

  it("repeats no file that is the only one of its run", async () => {
    const { code, lines } = await runTests(["good", "flaky"], { args: ["flaky"] });
    expect(lines.at(-1)).toBe("1 passed, 1 failed");
    expect(lines.join("\n")).not.toContain("second time");
    expect(code).toBe(1);
  });
});
