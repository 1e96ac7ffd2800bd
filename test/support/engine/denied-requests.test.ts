import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { assertNoDeniedRequests } from "./denied-requests.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), "svc-denied-"));
  mkdirSync(path.join(dir, "engine"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const line = (of: string, action: string, resource = "arn:x") =>
  `${JSON.stringify({ function: of, action, resource, sentence: `${of} called ${action}.` })}\n`;

it("an instance whose engine refused no request passes", () => {
  expect(() => assertNoDeniedRequests(dir)).not.toThrow();
});

it("a request for a resource that a test has invented is not a fault", () => {
  writeFileSync(
    path.join(dir, "engine", "denied-requests.jsonl"),
    line("run", "lambda:InvokeFunction", "arn:aws:lambda:::function:worker-gone"),
  );
  expect(() => assertNoDeniedRequests(dir)).not.toThrow();
});

it("an instance whose engine refused requests fails with one sentence for each function and action", () => {
  const file = path.join(dir, "engine", "denied-requests.jsonl");
  writeFileSync(file, line("run", "s3:GetObject") + line("step", "lambda:InvokeFunction") + line("run", "s3:GetObject"));
  expect(() => assertNoDeniedRequests(dir)).toThrow(/AWS would refuse:\nrun called s3:GetObject\.\nstep called lambda:InvokeFunction\.$/);
});
