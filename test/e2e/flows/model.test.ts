import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DrawnFlow, randomFlow } from "../../builders/random-flows.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { interpret } from "../../support/flows/flow-interpreter.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";

/** More of them, or those of a run before: `SVC_TEST_FLOWS=500`, `SVC_TEST_SEED=<what a failure prints>`. */
const FLOWS = Number(process.env["SVC_TEST_FLOWS"] ?? 60);
const AT_ONCE = 8;
/** A flow of more calls than this says no more than a smaller one. */
const CALLS_MOST = 30;
const SHRINKING_MS = 60_000;

let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [ws, witness] = await Promise.all([newWorkspace(), startWitness()]);
});
afterAll(() => witness?.close());

const inputFor = (run: string) => ({ x: 7, run, url: witness.url });
const small = randomFlow.filter((flow) => {
  const { calls } = interpret(flow, { x: 7, run: "none", url: "http://witness" });
  return [...calls.values()].reduce((sum, times) => sum + times, 0) <= CALLS_MOST;
});

/** Errors say more than the model knows: it knows their messages and steps, and that an expression threw. */
function known(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== "object" || value === null) return value;
  const { stack: _, name, ...rest } = value as Record<string, unknown>;
  if (typeof rest["message"] !== "string") return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, known(each)]));
  const message = name === "ExpressionError" ? "expression" : (/^Expected an array/.exec(rest["message"])?.[0] ?? rest["message"]);
  return { ...(known({ ...rest, message: null }) as object), message };
}

async function expectAsInterpreted(flow: DrawnFlow): Promise<void> {
  const run = randomUUID();
  const expected = interpret(flow, inputFor(run));
  const id = expectStatus(await ws.post("jobs/run/preview_flow", { value: flow, args: inputFor(run) }), 201).text;
  const { result, success, is_skipped: skipped } = await ws.completed(id, 300_000);
  const calls: Record<string, number> = {};
  for (const { what } of witness.told) if (what.startsWith(run)) calls[what] = (calls[what] ?? 0) + 1;
  const state = skipped ? "skipped" : success ? "success" : "failure";
  const found = { state, result: known(result), calls };
  expect(found).toEqual({ state: expected.state, result: known(expected.result), calls: Object.fromEntries(expected.calls) });
}

describe("random flows", () => {
  it("a random flow has the result, the end and the calls of the independent interpreter", { timeout: 600_000 }, async () => {
    const seed = Number(process.env["SVC_TEST_SEED"] ?? Date.now() % 1_000_000_007);
    const flows = fc.sample(small, { seed, numRuns: FLOWS });
    const failing = new Map<number, unknown>();
    const numbers = flows.keys();
    const one = async () => {
      for (const number of numbers)
        await expectAsInterpreted(flows[number] as DrawnFlow).catch((error: unknown) => failing.set(number, error));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    const [first] = [...failing.keys()].sort((a, b) => a - b);
    if (first === undefined) return;
    console.error(`Of ${FLOWS} flows of seed ${seed} these went otherwise: ${[...failing.keys()]}`);
    // The same flow again, made as small as it can be while it goes otherwise.
    await fc.assert(fc.asyncProperty(small, expectAsInterpreted), {
      seed,
      path: String(first),
      numRuns: 1,
      interruptAfterTimeLimit: SHRINKING_MS,
    });
    throw new Error("It went otherwise once, and not again.", { cause: failing.get(first) });
  });
});
