import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { FlowModule } from "../../contract/flows/flow-value.ts";
import { aFlow } from "../../test/builders/flows.ts";
import { aQueuedJob, aRunningJob } from "../../test/builders/jobs.ts";
import { addCounts, countModule, END_COUNTS, multiplyCounts, NO_COUNTS } from "./flow-counts.ts";
import { assumedMs, prices } from "./prices.ts";
import { estimateRun, findRunKind, isApiRun, type RunMeasures } from "./run-cost.ts";

const docs = readFileSync(path.join(import.meta.dirname, "../../docs/performance.md"), "utf8");
/** A figure of the last complete run of `npm run bench`. */
const figureOf = (line: string) => {
  const [, figure] = new RegExp(`^\\| ${line} \\| ([\\d.]+) `, "m").exec(docs) ?? expect.fail(`There is no figure ${line}.`);
  return Number(figure);
};
const isWithinTenPercent = (estimate: number, counted: number) => {
  expect(estimate).toBeGreaterThan(counted * 0.9);
  expect(estimate).toBeLessThan(counted * 1.1);
};

const script: RunMeasures = {
  ...{ kind: "queued", viaApi: true, attempts: 1, cached: false, runnerMemoryMb: 1769, s3Values: 0, transitions: 0, calls: 0 },
  ...{ ranMs: assumedMs.script + assumedMs.runner, argsBytes: 0, resultBytes: 500, logBytes: 0 },
};
const totalOf = (run: Partial<RunMeasures>) => estimateRun({ ...script, ...run }).total * 1e6;
const kinds: [string, Partial<RunMeasures>][] = [
  ["async script 0.5 KB: list price with REST API", {}],
  ["async script 0.5 KB: list price without REST API", { viaApi: false }],
  ["sync script 0.5 KB: list price with REST API", { kind: "direct" }],
  ["async script 8 KB: list price with REST API", { argsBytes: 8000, resultBytes: 8000 }],
  ["async preview 0.5 KB: list price with REST API", { kind: "preview" }],
  ["dependencies, bun without packages: list price without REST API", { kind: "build", viaApi: false, ranMs: 1000, resultBytes: 0 }],
];

describe("the estimate of a run", () => {
  it.each(kinds)("is within 10 % of what npm run bench counts: %s", (line, run) => {
    isWithinTenPercent(totalOf(run), figureOf(line));
  });

  it("consists of its lines, whose amounts are quantities at list prices", () => {
    const { lines, total } = estimateRun({ ...script, s3Values: 1, transitions: 3 });
    expect(lines.map(({ what }) => what)).toContain("Step Functions state transitions");
    for (const { quantity, unit_price, amount } of lines) expect(amount).toBeCloseTo(quantity * unit_price, 12);
    expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(total, 12);
    expect(lines.find(({ what }) => what === "API requests")).toEqual({
      ...{ what: "API requests", quantity: 1, unit: "request", unit_price: prices.restApiRequest, amount: prices.restApiRequest },
    });
  });

  it("contains no script for a cached result, and grows with attempts, time and memory", () => {
    expect(totalOf({ cached: true, ranMs: 0 })).toBeLessThan(totalOf({}));
    for (const more of [{ attempts: 2 }, { ranMs: 60_000 }, { runnerMemoryMb: 4096 }]) expect(totalOf(more)).toBeGreaterThan(totalOf({}));
  });
});

it.each<[string, object, ReturnType<typeof findRunKind>]>([
  ["a flow", { kind: "flow" }, "flow"],
  ["a step", { step: { id: "a", scope: "", path: "" } }, "step"],
  ["a build", { kind: "dependencies" }, "build"],
  ["a preview", { kind: "preview" }, "preview"],
  ["a script that its caller waited for", { worker: "run-7" }, "direct"],
  ["a script of the queue", { worker: "worker-7" }, "queued"],
])("the kind of %s follows from its record", (_, fields, kind) => {
  expect(findRunKind(aRunningJob(fields))).toBe(kind);
});

it("one request of the API starts a run by a webhook, and none a step or a scheduled run", () => {
  expect(isApiRun(aQueuedJob({ trigger: "webhook" }))).toBe(true);
  expect(isApiRun(aQueuedJob({ trigger: "schedule" }))).toBe(false);
  expect(isApiRun(aQueuedJob({ trigger: "webhook", step: { id: "a", scope: "", path: "" } }))).toBe(false);
});

describe("the counted states of a flow", () => {
  const light = (id: string, more: object = {}) => ({ id, value: { type: "script", path: "f/a/b" }, ...more });
  const loop = (value: object = {}) => ({
    id: "l",
    value: { type: "forloopflow", iterator: { type: "static", value: [] }, skip_failures: false, modules: [light("x")], ...value },
  });
  const branch = { id: "b", value: { type: "branchone", branches: [{ expr: "true", modules: [light("y")] }], default: [] } };
  /** The counts of modules, each with the number of its lists. The lists inside run one plain step each. */
  const counted = (modules: [object, number][]) =>
    modules.reduce((sum, [module, lists]) => {
      const [parsed] = aFlow({ modules: [module] }).modules as [FlowModule];
      const inner = multiplyCounts({ transitions: 1, calls: 0, jobs: 1 }, lists);
      return addCounts(addCounts(sum, countModule(parsed, { attempts: 1, lists, hasJob: lists === 0 })), inner);
    }, END_COUNTS);
  const flows: [string, [object, number][]][] = [
    ["five plain steps", ["a", "b", "c", "d", "e"].map((id) => [light(id), 0])],
    [
      "a step, one of two branches, a step",
      [
        [light("a"), 0],
        [branch, 1],
        [light("c"), 0],
      ],
    ],
    [
      "three steps with a retry and a pause",
      [
        [light("a", { retry: { constant: { attempts: 2, seconds: 1 } } }), 0],
        [light("b", { sleep: { type: "static", value: 1 } }), 0],
        [light("c"), 0],
      ],
    ],
    ["a loop of ten, one after the other", [[loop(), 10]]],
  ];

  it.each(flows)("are those that npm run bench counts, and the price is within 10 % of it: %s", (name, modules) => {
    const counts = counted(modules);
    expect(counts.transitions).toBe(figureOf(`${name}: state transitions`));
    const { transitions, calls, jobs } = counts;
    const own = totalOf({ kind: "flow", viaApi: false, ranMs: 0, resultBytes: 0, transitions, calls });
    const steps = jobs * totalOf({ kind: "step", viaApi: false, resultBytes: 0 });
    isWithinTenPercent(own + steps, figureOf(`${name}: list price`));
  });

  it("contain a state for each iteration of a parallel loop, and five for its round", () => {
    expect(counted([[loop({ parallel: true }), 10]]).transitions).toBe(16);
    expect(NO_COUNTS.transitions).toBe(0);
  });
});
