import { afterAll, beforeAll, expect, it } from "vitest";
import { type Runner, startRunner } from "../conformance/harness.ts";

let runner: Runner;
beforeAll(async () => {
  // On AWS the limit is the function's memory size, of which the heap gets a share.
  runner = await startRunner("nodejs", { SVC_MEMORY_LIMIT_MB: "200" });
});
afterAll(() => runner.close());

it("a script that runs out of memory fails with a MemoryError, whether its engine or the supervisor notices first", async () => {
  const code = "export function main() { const a = []; for (;;) a.push(new Array(10_000).fill(a.length)); }";
  const { outcome, error } = await runner.run({ code });
  expect(outcome).toBe("failure");
  expect(error).toMatchObject({ name: "MemoryError", message: expect.stringContaining("memory") });
});
