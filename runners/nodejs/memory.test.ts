import { afterAll, beforeAll, expect, it } from "vitest";
import { type Runner, startRunner } from "../conformance/harness.ts";

let runner: Runner;
beforeAll(async () => {
  // The function's size, which on AWS is the boundary: the heap gets its share of it.
  runner = await startRunner("nodejs", { SVC_MEMORY_LIMIT_MB: "200" });
});
afterAll(() => runner.close());

it("says that a script ran out of memory, whoever notices first: its own engine or the supervisor", async () => {
  const code = "export function main() { const a = []; for (;;) a.push(new Array(10_000).fill(a.length)); }";
  const { outcome, error } = await runner.run({ code });
  expect(outcome).toBe("failure");
  expect(error).toMatchObject({ name: "MemoryError", message: expect.stringContaining("memory") });
});
