import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunRequest } from "../protocol.ts";
import { scriptLanguage } from "./script-runtime.ts";

const ANSWER = '{"ok":false,"error":{"name":"Error","message":"late"}}';

let workDir: string;
beforeAll(() => {
  workDir = mkdtempSync(join(tmpdir(), "svc-script-runtime-"));
  process.env["SVC_WORK_DIR"] = workDir;
});
afterAll(() => rmSync(workDir, { recursive: true, force: true }));

const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it("the answer of a process that exits at once is read, although its exit is noticed before its answer", async () => {
  const command = () => ["bash", "-c", `read -r job <&4; echo '${ANSWER}' >&3; exit 1`];
  const language = scriptLanguage({ name: "deno", command, realms: false });
  language.prepare?.();
  const request = { artefact: { sha256: "0".repeat(64) }, args: {}, env: {}, maxResultBytes: 1000 } as unknown as RunRequest;
  const job = language.open(request, "/artefact", () => undefined);
  // Node handles the exits of all processes together, after all output that it has already noticed: so it notices another process's output
  // and exit first, and the job's process answers and exits while that output is handled.
  const other = spawn("echo", ["output"]);
  other.stdout.once("data", () => {
    job.startRun();
    block(500);
  });
  block(500);
  const { kind, line } = (await job.ended) as { kind: string; line?: Buffer };
  expect([kind, line?.toString()]).toEqual(["answer", ANSWER]);
  await job.settle(false);
  await job.release();
});
