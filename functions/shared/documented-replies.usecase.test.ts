import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Fuzzer, newFuzzer } from "../../test/support/fuzz/fuzzer.ts";
import { SEED, sample } from "../../test/support/fuzz/operations.ts";

/** Calls of each operation. Some values are at the limits of their schemas. */
const EXAMPLES = 4;

let fuzzer: Fuzzer;
beforeAll(async () => {
  fuzzer = await newFuzzer();
}, 60_000);
afterAll(() => {
  console.log(`${fuzzer.countCalls()} calls of ${fuzzer.operations.length} operations, seed ${SEED}`);
  fuzzer.close();
  // Modules remember the settings of the fuzzer's instance for a time, and are loaded again for the other files.
  vi.resetModules();
});

describe("every operation", () => {
  it("answers input that its schemas allow with a documented status, type and shape", async () => {
    const calls = fuzzer.operations.flatMap((operation, at) => {
      const [params, queries] = [sample(operation.params, EXAMPLES, at), sample(operation.query, EXAMPLES, at)];
      const bodies = operation.body ? sample(operation.body, EXAMPLES, at) : [];
      return params.map((parts, index) => {
        // Every second call has no optional query parameter, so that a filter does not hide the effect of a body.
        const query = index % 2 === 0 ? undefined : queries[index];
        const body = operation.body ? Buffer.from(JSON.stringify(bodies[index]) ?? "") : undefined;
        const what = `${JSON.stringify(parts)} ${JSON.stringify(query ?? [])} ${body?.subarray(0, 200).toString() ?? ""}`;
        return { what, operation, params: parts, ...(query ? { query } : {}), body };
      });
    });
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("answers a method that its path does not have with 405 or 404", async () => {
    const calls = fuzzer.operations.map((operation) => ({ what: "PUT", operation, method: "PUT", expected: [404, 405] }));
    expect(await fuzzer.sendAll(calls)).toEqual([]);
  });

  it("succeeds in at least two of three cases, so that successes are compared too", () => {
    const { operations } = fuzzer;
    const refused = operations.map(({ route }) => route.name).filter((name) => !fuzzer.hasSucceeded(name));
    expect(refused.length, refused.join(" ")).toBeLessThan(operations.length / 3);
  });
});
