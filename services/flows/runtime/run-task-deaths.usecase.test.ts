import { beforeAll, describe, expect, it } from "vitest";
import { Cloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { all, each, echo, nested, one, sleepS, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import type { Fault } from "../../../test/support/use-cases/failing-writes.ts";
import { addFlow, endOfFlow, type FlowWorld, newFlowWorld, startFlow } from "../../../test/support/use-cases/world-flows.ts";

/** One world for all runs: each run has its own jobs, and all of them have ended before the next one begins. */
let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  await addFlow(world, "f/t/inner", [step("f")]);
});

interface Played {
  end: { state: string; result: unknown };
  writes: readonly string[];
  deaths: readonly Fault[];
  /** The number of runs of each script, by its result. */
  runs: Record<string, number>;
}

async function play(value: object, fault?: Fault): Promise<Played> {
  const from = world.results.length;
  const run = await startFlow(world, value);
  const cloud = new Cloud(world, fault ? { fault } : {});
  await cloud.play(run);
  const runs: Record<string, number> = {};
  for (const result of world.results.slice(from)) runs[JSON.stringify(result)] = (runs[JSON.stringify(result)] ?? 0) + 1;
  return { end: await endOfFlow(world, run), writes: cloud.writes, deaths: cloud.listDeaths(), runs };
}

const repeated = (runs: Record<string, number>) => Object.values(runs).reduce((sum, times) => sum + times - 1, 0);

const loopOf = (more: object = {}) => each("l", "[0, 1]", [step("b")], more);
/** A flow, its result, and the number of scripts that may run again. */
type Row = [string, object, unknown, number];
const flows: Row[] = [
  ["steps and a loop", { modules: [step("a"), loopOf(), echo("z", "[results.l]")] }, [["b0", "b1"]], 1],
  ["a parallel loop", { modules: [loopOf({ parallel: true })] }, ["b0", "b1"], 1],
  ["a branch and a sleep", { modules: [step("w", sleepS(1)), one("o", "true", [step("d")])] }, "d", 1],
  ["parallel branches", { modules: [all("o", [[step("x")], [step("y")]], { parallel: true })] }, ["x", "y"], 1],
  ["a nested flow", { modules: [nested("n", "f/t/inner")] }, "f", 1],
  ["a segment with a sleep and a loop", { same_worker: true, modules: [step("a", sleepS(1)), loopOf()] }, ["b0", "b1"], 1],
  ["a segment with a nested flow", { same_worker: true, modules: [step("a"), nested("n", "f/t/inner")] }, "f", 1],
  ["a segment with a batch", { same_worker: true, modules: [step("a", sleepS(1)), step("s"), step("t"), step("u")] }, "u", 3],
];

describe("a flow of which one function call dies before or after any of its writes", () => {
  it.each(flows)("has its result, and only what that call ran is repeated: %s", async (_title, value, result, most) => {
    const plain = await play(value);
    expect([plain.end, repeated(plain.runs)]).toEqual([{ state: "succeeded", result }, 0]);
    const failures: string[] = [];
    for (const fault of plain.deaths) {
      try {
        const { end, runs } = await play(value, fault);
        expect(end).toEqual({ state: "succeeded", result });
        expect(Object.keys(runs).toSorted()).toEqual(Object.keys(plain.runs).toSorted());
        expect(repeated(runs)).toBeLessThanOrEqual(most);
      } catch (error) {
        failures.push(`${fault.moment} write ${fault.write} of ${plain.writes.join(", ")}: ${(error as Error).message}`);
      }
    }
    // Each write is followed by a death.
    expect(plain.deaths.filter(({ moment }) => moment === "after")).toHaveLength(plain.writes.length);
    expect(failures).toEqual([]);
  });
});

describe("a flow of which the runner dies in any of its scripts", () => {
  it.each(flows)("has its result, and only what that call ran is repeated: %s", async (_title, value, result, most) => {
    const { run } = world.answers;
    const calls = async (lostAt: number) => {
      let count = 0;
      world.answers.run = async (request) => {
        const invocation = await run(request);
        count += 1;
        return count === lostAt ? { kind: "lost", reason: "killed" } : invocation;
      };
      const { end, runs } = await play(value);
      expect(end).toEqual({ state: "succeeded", result });
      expect(repeated(runs)).toBeLessThanOrEqual(lostAt === 0 ? 0 : most);
      return count;
    };
    try {
      const all = await calls(0);
      for (let lostAt = 1; lostAt <= all; lostAt += 1) expect(await calls(lostAt)).toBe(all + 1);
    } finally {
      world.answers.run = run;
    }
  });
});

it("steps that are known to be quick run in one call of the runner", async () => {
  const [value = {}] = flows.filter(([title]) => title.endsWith("a batch")).map(([, found]) => found);
  const from = world.runs.length;
  expect((await play(value)).runs).toEqual({ '"a"': 1, '"s"': 1, '"t"': 1, '"u"': 1 });
  expect(world.runs.slice(from)).toHaveLength(2);
});
