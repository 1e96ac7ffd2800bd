import { expect, it } from "vitest";
import { curlOf } from "./curl.ts";
import type { RunJob } from "./use-run.ts";

const run = (fields: Partial<RunJob>) => ({ job_kind: "script", script_path: "f/ops/hello", ...fields }) as RunJob;

it("a run is copied as a command of the shell, whose quotes no argument can end", () => {
  expect(curlOf("https://svc.example.com", "demo", run({ args: { name: "O'Neil; rm -rf /" } }))).toBe(
    [
      "curl -sS -X POST 'https://svc.example.com/api/w/demo/jobs/run/p/f/ops/hello'",
      '-H "Authorization: Bearer $TOKEN"',
      "-H 'Content-Type: application/json'",
      `-d '{"name":"O'\\''Neil; rm -rf /"}'`,
    ].join(" \\\n  "),
  );
  expect(curlOf("https://svc.example.com", "demo", run({ job_kind: "flow" }))).toContain("/jobs/run/f/f/ops/hello'");
  expect(curlOf("https://svc.example.com", "demo", run({ script_path: "" }))).toBeUndefined();
});
