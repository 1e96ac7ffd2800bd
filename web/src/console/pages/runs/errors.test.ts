import { expect, it } from "vitest";
import { groupErrors } from "./errors.ts";
import type { Run } from "./use-runs.ts";

const failed = (result_preview: string) => ({ type: "CompletedJob", success: false, result_preview }) as Run;
const error = (name: string, message: string) => JSON.stringify({ error: { name, message } });

it("failed runs are grouped by the name and the message of their errors", () => {
  const long = error("Timeout", "x".repeat(300)).slice(0, 60);
  const runs = [
    failed(error("TypeError", 'no "a"')),
    failed(error("Timeout", "late")),
    failed(error("TypeError", 'no "a"')),
    failed(long),
    failed('{"message":"no error"}'),
    failed("[1,2"),
    { type: "CompletedJob", success: true, result_preview: error("Fine", "a") } as Run,
    { type: "QueuedJob" } as Run,
  ];
  expect(groupErrors(runs)).toEqual([
    { name: "TypeError", message: 'no "a"', count: 2 },
    { name: "Timeout", message: "late", count: 1 },
    { name: "Timeout", message: "x".repeat(60 - '{"error":{"name":"Timeout","message":"'.length), count: 1 },
  ]);
});
