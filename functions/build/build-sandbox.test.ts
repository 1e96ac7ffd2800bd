import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { BuildLog } from "./build-log.ts";
import { BuildFailure, BuildSandbox } from "./build-sandbox.ts";

let workDir = "";

beforeAll(() => {
  workDir = mkdtempSync(join(tmpdir(), "svc-room-test-"));
  vi.stubEnv("SVC_WORK_DIR", workDir);
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(workDir, { recursive: true, force: true });
});

/** A killed process remains listed as defunct until its parent waits for it. */
function isAlive(pid: string): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}

describe("BuildSandbox", () => {
  it("gives tools a home and a temporary directory inside of the build, and no credentials", async () => {
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "AKIDEXAMPLE");
    vi.stubEnv("SVC_BUCKET", "bucket-name");
    await using sandbox = await BuildSandbox.open(60_000);
    expect(statSync(sandbox.dir).mode & 0o777).toBe(0o700);
    const { output } = await sandbox.run({ command: "/usr/bin/env", args: [], cwd: sandbox.dir, env: { EXTRA: "1" } });
    expect(output).not.toMatch(/AWS_|SVC_/);
    expect(output).toContain("HOME=home");
    expect(output).toContain("TMPDIR=tmp");
    expect(output).toContain("EXTRA=1");
  });

  it("kills the processes that a tool leaves behind", async () => {
    await using sandbox = await BuildSandbox.open(60_000);
    const { code, output } = await sandbox.run({ command: "/bin/sh", args: ["-c", "sleep 1000 & echo $!; exit 3"], cwd: sandbox.dir });
    expect(code).toBe(3);
    await expect.poll(() => isAlive(output.trim())).toBe(false);
  });

  it("stops a tool at the deadline", async () => {
    await using sandbox = await BuildSandbox.open(50);
    await expect(sandbox.run({ command: "/bin/sh", args: ["-c", "sleep 1000"], cwd: sandbox.dir })).rejects.toThrow(BuildFailure);
  });

  it("leaves no files behind, not even read-only ones", async () => {
    let dir = "";
    {
      await using sandbox = await BuildSandbox.open(60_000);
      dir = sandbox.dir;
      await sandbox.run({ command: "/bin/sh", args: ["-c", "mkdir -p a/b && touch a/b/c && chmod -R a-w a"], cwd: sandbox.dir });
    }
    expect(() => statSync(dir)).toThrow("ENOENT");
  });
});

describe("BuildLog", () => {
  it("contains no credentials of a registry's URL", () => {
    const log = new BuildLog("/some/builds/1");
    log.line("GET https://user:pass@registry.example/x - 404, http://token@mirror.example:8080/y, mail@host.example");
    expect(String(log)).toBe("GET https://***@registry.example/x - 404, http://***@mirror.example:8080/y, mail@host.example\n");
  });

  it("retains the beginning and the end of a long log, without colours and without the build's directory", () => {
    const log = new BuildLog("/some/builds/1");
    log.line("\u001b[31m/some/builds/1/first\u001b[0m");
    for (let at = 0; at < 20_000; at++) log.line(`line ${at} ${"x".repeat(40)}`);
    log.line("last");
    const text = String(log);
    expect(text.length).toBeLessThan(300_000);
    expect(text.startsWith("first\n")).toBe(true);
    expect(text).toContain("The log was cut here");
    expect(text.endsWith("last\n")).toBe(true);
  });
});
