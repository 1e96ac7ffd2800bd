import { expect, it } from "vitest";
import { runsAsCsv, runsAsJsonLines } from "./export.ts";
import type { Run } from "./use-runs.ts";

const created_at = "2026-01-02T03:04:05Z";
const run = {
  ...{ type: "CompletedJob", id: "1", script_path: "f/ops/a", job_kind: "script", success: true, created_by: "=ann", created_at },
  ...{ started_at: created_at, completed_at: created_at, duration_ms: 5, args_preview: "{}" },
} as Run;

it("runs are exported without arguments and results", () => {
  expect(runsAsCsv([run]).split("\r\n")).toEqual([
    "id,path,kind,state,trigger,created_by,created_at,started_at,ended_at,duration_ms",
    `1,f/ops/a,script,succeeded,,'=ann,${created_at},${created_at},${created_at},5`,
  ]);
  expect(JSON.parse(runsAsJsonLines([run]))).toEqual({
    ...{ id: "1", path: "f/ops/a", kind: "script", state: "succeeded", trigger: "", created_by: "=ann" },
    ...{ created_at, started_at: created_at, ended_at: created_at, duration_ms: 5 },
  });
});
