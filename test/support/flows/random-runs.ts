import { randomUUID } from "node:crypto";
import fc from "fast-check";
import pMap from "p-map";
import { expect } from "vitest";
import { type DrawnFlow, randomFlow } from "../../builders/random-flows.ts";
import type { Witness } from "../jobs/witness.ts";
import { interpret } from "./flow-interpreter.ts";

interface Options {
  /**
   * The number of flows, unless `SVC_TEST_FLOWS` is set. `SVC_TEST_SEED` generates other flows. By default, all runs generate the same flows, so
   * that a failure is caused by the change.
   */
  count: number;
  atOnce: number;
  witness: Witness;
  /** Runs a flow and returns its job as the API shows it. */
  run: (flow: DrawnFlow, input: Record<string, unknown>) => Promise<Record<string, unknown>>;
}

/** A flow with more calls than this tests no more than a smaller one. */
const CALLS_MOST = 30;
const SHRINKING_MS = 60_000;
const DEFAULT_SEED = 2811;

export const smallFlow = randomFlow.filter((flow) => {
  const { calls } = interpret(flow, { x: 7, run: "none", url: "http://witness" });
  return [...calls.values()].reduce((sum, times) => sum + times, 0) <= CALLS_MOST;
});

/** Errors say more than the model knows: it knows their messages and steps, and that an expression threw. */
export function known(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== "object" || value === null) return value;
  const { stack: _, name, ...rest } = value as Record<string, unknown>;
  if (typeof rest["message"] !== "string") return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, known(each)]));
  const message = name === "ExpressionError" ? "expression" : (/^Expected an array/.exec(rest["message"])?.[0] ?? rest["message"]);
  return { ...(known({ ...rest, message: null }) as object), message };
}

/** Runs random flows and compares the result, the end and the calls of each with those of the independent interpreter. */
export async function expectRandomFlows({ count, atOnce, witness, run }: Options): Promise<void> {
  const expectAsInterpreted = async (flow: DrawnFlow): Promise<void> => {
    const id = randomUUID();
    const input = { x: 7, run: id, url: witness.url };
    const expected = interpret(flow, input);
    const { result, success, is_skipped: skipped } = await run(flow, input);
    const calls: Record<string, number> = {};
    for (const { what } of witness.reports) if (what.startsWith(id)) calls[what] = (calls[what] ?? 0) + 1;
    const state = skipped ? "skipped" : success ? "success" : "failure";
    const found = { state, result: known(result), calls };
    expect(found).toEqual({ state: expected.state, result: known(expected.result), calls: Object.fromEntries(expected.calls) });
  };
  await expectEach(smallFlow, { count, atOnce }, expectAsInterpreted);
}

/** Checks generated values. The first one that fails is shrunk as long as it fails. */
export async function expectEach<T>(
  drawn: fc.Arbitrary<T>,
  { count, atOnce }: Pick<Options, "count" | "atOnce">,
  expectOne: (value: T) => Promise<void>,
): Promise<void> {
  const numRuns = Number(process.env["SVC_TEST_FLOWS"] ?? count);
  const seed = Number(process.env["SVC_TEST_SEED"] ?? DEFAULT_SEED);
  const values = fc.sample(drawn, { seed, numRuns });
  const failing = new Map<number, unknown>();
  await pMap(values, (value, number) => expectOne(value).catch((error: unknown) => void failing.set(number, error)), {
    concurrency: atOnce,
  });
  const [first] = [...failing.keys()].sort((a, b) => a - b);
  if (first === undefined) return;
  console.error(`Of ${numRuns} flows of seed ${seed} these went otherwise: ${[...failing.keys()]}`);
  // The same flow, shrunk as long as its outcome differs.
  await fc.assert(fc.asyncProperty(drawn, expectOne), {
    seed,
    path: String(first),
    numRuns: 1,
    interruptAfterTimeLimit: SHRINKING_MS,
  });
  throw new Error("It went otherwise once, and not again.", { cause: failing.get(first) });
}
