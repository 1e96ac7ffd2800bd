import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { filesOfJobs, isAlive, type Runner, startRunner, until } from "./conformance/harness.ts";
import { removeLeftovers } from "./shared/child.ts";
import { settings } from "./shared/settings.ts";
import { emptyDirectory } from "./shared/tmp.ts";

/** What the supervisor does around any job, shown with bash, the smallest. */
describe("the supervisor", () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner("bash");
  });
  beforeEach(() => {
    runner.beats.length = 0;
    runner.reports.length = 0;
    runner.onBeat = () => ({ go: "on", watched: false });
    runner.onReport = () => 200;
  });
  afterAll(() => runner.close());

  it("does not call for a job that ends soon", async () => {
    await runner.run({ code: "echo hello" });
    expect(runner.beats).toEqual([]);
    expect(runner.reports).toEqual([]);
  });

  it("sends the output so far with the first beat, and the rest with the outcome", async () => {
    const code = "echo first; while [ ! -e go ]; do sleep 0.05; [ $((++i)) -gt 60 ] && break; done; echo last";
    const outcome = await runner.run({ code });
    expect(runner.beats[0]).toMatchObject({
      job: expect.any(String),
      attempt: 1,
      nonce: "nonce-of-this-attempt",
      logs: { offset: 0, text: "first\n" },
      authorization: "Bearer secret-job-token",
    });
    expect(outcome.logs).toEqual({ offset: 6, text: "last\n" });
  });

  it("sends output as it comes while somebody watches", async () => {
    runner.onBeat = () => ({ go: "on", watched: true });
    const code = "sleep 1.3; for i in 1 2 3; do echo $i; sleep 0.5; done";
    const outcome = await runner.run({ code });
    const pieces = runner.beats.flatMap(({ logs }) => (logs ? [logs] : []));
    expect(pieces.length).toBeGreaterThanOrEqual(3);
    expect([...pieces, outcome.logs].map(({ text }) => text).join("")).toBe("1\n2\n3\n");
  });

  it("repeats what a lost beat carried", async () => {
    let calls = 0;
    runner.onBeat = () => (++calls === 1 ? 500 : { go: "on", watched: false });
    await runner.run({ code: "echo first; sleep 2.5" });
    expect(runner.beats.slice(0, 2).map(({ logs }) => logs)).toEqual([
      { offset: 0, text: "first\n" },
      { offset: 0, text: "first\n" },
    ]);
  });

  it.each([
    ["says stop", { go: "stop", reason: "canceled by ada", watched: false } as const, "canceled by ada"],
    ["does not know the attempt any more", 409, "This attempt does not count any more."],
    ["refuses the token", 401, "This attempt does not count any more."],
  ])("kills the job when the service %s", async (_what, reply, message) => {
    runner.onBeat = () => reply;
    const outcome = await runner.run({ code: "sleep 300 & echo $!; wait" });
    expect(outcome).toMatchObject({ outcome: "killed", error: { name: "CanceledError", message } });
    const [{ logs } = { logs: undefined }] = runner.beats;
    await until(() => !isAlive(Number(logs?.text)));
    expect(filesOfJobs(runner)).toEqual([]);
  });

  it("reports the end of a long job itself, again if need be", async () => {
    let calls = 0;
    runner.onReport = () => (++calls === 1 ? 503 : 200);
    const request = runner.request({ code: "sleep 5.2; echo done" });
    const outcome = await runner.send(request);
    expect(runner.reports).toHaveLength(2);
    expect(runner.reports[1]).toMatchObject({
      job: request.job,
      attempt: 1,
      nonce: "nonce-of-this-attempt",
      outcome: { outcome: "success", result: "done" },
    });
    expect(runner.reports[1]?.outcome.logs).toEqual(outcome.logs);
  });

  it("keeps a large log out of the outcome, unless nobody takes it", async () => {
    const code = "head -c 600000 /dev/zero | tr '\\0' x";
    const sent = await runner.run({ code });
    expect(sent.logs.text.length).toBeLessThanOrEqual(256 * 1024);
    expect(sent.logs.offset + sent.logs.text.length).toBe(600_000);
    runner.onBeat = () => 503;
    const kept = await runner.run({ code });
    expect(kept.logs).toEqual({ offset: 0, text: "x".repeat(600_000) });
  });

  it("stops a job at its memory limit", async () => {
    vi.spyOn(settings(), "memoryLimitKb", "get").mockReturnValue(60 * 1024);
    const outcome = await runner.run({ code: "head -c 200000000 /dev/zero | tail -c 150000000 | sleep 300" });
    vi.restoreAllMocks();
    expect(outcome).toMatchObject({
      outcome: "failure",
      error: { name: "MemoryError", message: "The script used more than its 60 MB of memory and was stopped." },
    });
  });

  it("prints one line per job, without output, arguments, addresses or tokens", async () => {
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    await runner.run({ code: "echo user-output; exit 1", params: ["a"], args: { a: "user-argument" }, env: { OWN: "user-variable" } });
    const lines = print.mock.calls.map(([line]) => String(line));
    print.mockRestore();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "INFO", message: "run", language: "bash", outcome: "failure", tmp: "none" });
    expect(lines[0]).not.toMatch(/user-|secret-|nonce-of|127\.0\.0\.1/);
  });

  it("runs jobs side by side without mixing them", async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((i) => runner.run({ code: "for n in 1 2 3; do echo $1; done", params: ["i"], args: { i } })),
    );
    expect(outcomes.map(({ logs }) => logs.text)).toEqual([1, 2, 3, 4].map((i) => `${i}\n`.repeat(3)));
  });

  it("removes what a killed supervisor left", async () => {
    const directory = join(runner.workDir, "jobs", "4194303-1-left");
    mkdirSync(directory);
    writeFileSync(join(directory, "x"), "");
    const mine = readdirSync(join(runner.workDir, "pipes"));
    removeLeftovers();
    expect(existsSync(directory)).toBe(false);
    expect(readdirSync(join(runner.workDir, "pipes"))).toEqual(mine);
  });

  it("sweeps a directory but for what it keeps", () => {
    const root = mkdtempSync(join(runner.workDir, "sweep-"));
    mkdirSync(join(root, "svc", "artefacts"), { recursive: true });
    mkdirSync(join(root, "user", "deep"), { recursive: true });
    writeFileSync(join(root, "file"), "");
    writeFileSync(join(root, "svc", "artefacts", "kept"), "");
    emptyDirectory(root, join(root, "svc"));
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(["svc", "svc/artefacts", "svc/artefacts/kept"]);
  });
});
