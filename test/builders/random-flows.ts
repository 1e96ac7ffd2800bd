import fc from "fast-check";
import { flow } from "../support/flows/flow.ts";

/** A module of a flow, of the kinds that this builder draws. */
export interface DrawnModule {
  id: string;
  value: object;
  [field: string]: unknown;
}
export interface DrawnFlow {
  modules: DrawnModule[];
  failure_module?: DrawnModule;
}

/** An expression for a place, from the ids of steps that can be seen there and of some that cannot. */
type Expression = (ids: readonly string[]) => string;
/** Creates one module and returns it with the ids that are visible after it. */
type Draft = (names: Names) => { module: DrawnModule; seen: string[] };
interface Names {
  next: () => string;
  seen: readonly string[];
}

const just = (...texts: string[]) =>
  fc.constantFrom(
    ...texts.map(
      (text): Expression =>
        () =>
          text,
    ),
  );
const named = fc.nat(99).map(
  (nth): Expression =>
    (ids) =>
      `results.${ids[nth % ids.length] ?? "nobody"}`,
);

/** The result of a step. */
const yields: fc.Arbitrary<Expression> = fc.oneof(
  { weight: 4, arbitrary: just("1", "2", "null", "undefined", "'text'", "[3, 4]", "{ v: previous_result }") },
  {
    weight: 4,
    arbitrary: just("previous_result", "error", "flow_input.iter?.value ?? flow_input.x", "flow_input.x.y.z", "results.nobody"),
  },
  { weight: 5, arbitrary: named },
  { weight: 1, arbitrary: just("flow_input.nowhere.at + 1", "let s = 0; for (const n of [1, 2]) s += n; return s") },
);
/** The number of failing calls of a step before the first success. */
const failures = fc.oneof(
  { weight: 6, arbitrary: just("0") },
  { weight: 2, arbitrary: just("1", "2", "99") },
  { weight: 2, arbitrary: just("flow_input.iter?.index === 1 ? 99 : 0", "flow_input.iter?.index === 0 ? 1 : 0") },
);
const condition = just(
  "true",
  "false",
  "flow_input.iter?.index === 0",
  "(flow_input.iter?.index ?? 0) >= 1",
  "previous_result === null",
  "typeof previous_result === 'number'",
);
const ofResult = just("true", "result === null", "typeof result === 'number'", "Array.isArray(result)", "flow_input.iter?.index === 1");
const ofList = just("true", "result.length > 1", "result.some((each) => each?.error)");
const lists = just(
  "[]",
  "[1]",
  "[1, 2]",
  "['a', 'b', 'c']",
  "[previous_result, null]",
  "[1, 2, 3, 4]",
  "Array.isArray(previous_result) ? previous_result.slice(0, 3) : 5",
);

/** The key under which its calls are counted: the step's id and the indices around it. */
const PLACE = "[flow_input.iter?.index, flow_input.iter_parent?.index, flow_input.iter_parent_parent?.index].join('.')";
/** The code of each step, which reports its call. */
export const CODE = `export async function main(at: string, fails: number, v: unknown) {
  const times = Number(await (await fetch(at)).text());
  if (times <= fails) throw new RangeError("planned " + new URL(at).pathname.split("/").pop());
  return v;
}`;
const calls = (id: string, fails: string, v: string) =>
  flow.script(id, CODE, { at: `flow_input.url + '/' + flow_input.run + '/${id}.' + ${PLACE}`, fails, v }, {});

const sometimes = <T>(arbitrary: fc.Arbitrary<T>, weight: number) =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary });
const retry = fc.record({ attempts: fc.integer({ min: 1, max: 2 }), retry_if: sometimes(fc.constantFrom("true", "false"), 3) });
const stop = fc.record({
  expr: ofResult,
  more: fc.constantFrom({}, {}, { skip_if_stopped: true }, { error_message: "enough" }, { error_message: "", error_include_result: true }),
});

/** The options of a module in addition to its value, with at most one of skip, stop and mock, because their order is undefined. */
const around = fc
  .record({
    goesOn: sometimes(fc.constant(true), 2),
    retry: sometimes(retry, 2),
    one: sometimes(
      fc.oneof(
        stop.map((stop) => ({ stop })),
        condition.map((skip) => ({ skip })),
        fc.constantFrom({ mock: { enabled: true, return_value: { m: 1 } } }, { mock: { enabled: true } }),
      ),
      3,
    ),
  })
  .map(
    ({ goesOn, retry, one = {} }) =>
      (ids: readonly string[]): Record<string, unknown> => ({
        // A message turns the stop into a failure, which is neither retried nor continued.
        ...(goesOn && !("stop" in one) ? { continue_on_error: true } : {}),
        ...(retry && !("stop" in one)
          ? {
              retry: {
                constant: { attempts: retry.attempts, seconds: 0 },
                ...(retry.retry_if ? { retry_if: { expr: retry.retry_if } } : {}),
              },
            }
          : {}),
        ...("stop" in one ? { stop_after_if: { expr: one.stop.expr(ids), ...one.stop.more } } : {}),
        ...("skip" in one ? { skip_if: { expr: one.skip(ids) } } : {}),
        ...("mock" in one ? { mock: one.mock } : {}),
      }),
  );

/** Steps inside of a loop are not visible outside. */
const hidden = (id: string, seen: readonly string[]) => [...seen, id];

function listed(drafts: readonly Draft[], names: Names): { modules: DrawnModule[]; seen: string[] } {
  let seen = [...names.seen];
  const modules = drafts.map((draft) => {
    const made = draft({ ...names, seen });
    seen = made.seen;
    return made.module;
  });
  return { modules, seen };
}

const few = { maxLength: 3, depthIdentifier: "modules", size: "max" } as const;
const { draft: anyDraft } = fc.letrec<{ draft: Draft; drafts: Draft[] }>((tie) => ({
  drafts: fc.oneof(
    { weight: 1, arbitrary: fc.constant<Draft[]>([]) },
    { weight: 7, arbitrary: fc.array(tie("draft"), { ...few, minLength: 1 }) },
  ),
  draft: fc.oneof(
    { maxDepth: 4, depthIdentifier: "modules" },
    {
      weight: 8,
      arbitrary: fc.record({ v: yields, fails: failures, around }).map(
        ({ v, fails, around }): Draft =>
          (names) => {
            const id = names.next();
            const module = { ...calls(id, fails(names.seen), v(names.seen)), ...around(names.seen) };
            return { module, seen: [...names.seen, id] };
          },
      ),
    },
    {
      weight: 1,
      arbitrary: around.map(
        (around): Draft =>
          (names) => {
            const id = names.next();
            const { retry: _, ...more } = around(names.seen);
            return { module: { ...flow.identity(id), ...more }, seen: [...names.seen, id] };
          },
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ branches: fc.array(fc.record({ expr: condition, inside: tie("drafts") }), few), otherwise: tie("drafts"), around })
        .map(
          ({ branches, otherwise, around }): Draft =>
            (names) => {
              const id = names.next();
              const made = branches.map(({ expr, inside }) => ({ expr: expr(names.seen), ...listed(inside, names) }));
              const last = listed(otherwise, names);
              const value = { type: "branchone", branches: made.map(({ expr, modules }) => ({ expr, modules })), default: last.modules };
              const seen = new Set([...names.seen, ...made.flatMap((branch) => branch.seen), ...last.seen, id]);
              return { module: { id, value, ...around(names.seen) }, seen: [...seen] };
            },
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({
          branches: fc.array(fc.record({ skip: fc.boolean(), inside: tie("drafts") }), few),
          parallel: fc.boolean(),
          all: sometimes(ofList, 2),
          around,
        })
        .map(
          ({ branches, parallel, all, around }): Draft =>
            (names) => {
              const id = names.next();
              let { seen } = names;
              const made = branches.map(({ skip, inside }) => {
                const list = listed(inside, parallel ? names : { ...names, seen });
                seen = [...new Set([...seen, ...list.seen])];
                return { skip_failure: skip, modules: list.modules };
              });
              const { stop_after_if: _, ...more } = around(names.seen);
              const module = { id, value: { type: "branchall", parallel, branches: made }, ...more, ...atEnd(more, all) };
              return { module, seen: [...seen, id] };
            },
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({
          list: lists,
          inside: tie("drafts"),
          parallel: fc.boolean(),
          width: fc.constantFrom(undefined, 1, 2),
          skips: fc.boolean(),
          all: sometimes(ofList, 2),
          around,
        })
        .map(
          ({ list, inside, parallel, width, skips, all, around }): Draft =>
            (names) => {
              const id = names.next();
              const { modules } = listed(inside, names);
              const { stop_after_if: predicate, ...more } = around(names.seen);
              const parallelism = width === undefined ? {} : { parallelism: { type: "static", value: width } };
              const value = { parallel, skip_failures: skips, ...parallelism };
              const breaks = predicate && !parallel && !all ? { stop_after_if: { expr: (predicate as { expr: string }).expr } } : {};
              const module = { ...flow.each(id, list(names.seen), modules, value), ...more, ...breaks, ...atEnd(more, all) };
              return { module, seen: hidden(id, names.seen) };
            },
        ),
    },
    {
      weight: 1,
      arbitrary: fc.record({ inside: tie("drafts"), most: fc.integer({ min: 1, max: 3 }), skips: fc.boolean(), around }).map(
        ({ inside, most, skips, around }): Draft =>
          (names) => {
            const id = names.next();
            const { modules } = listed(inside, names);
            const module = {
              ...flow.loop(id, modules, { skip_failures: skips }),
              ...around(names.seen),
              stop_after_if: { expr: `all_iters.length >= ${most}` },
            };
            return { module, seen: hidden(id, names.seen) };
          },
      ),
    },
  ),
}));

/** A stop at the end of a loop or of all branches, where they run. */
const atEnd = (more: object, all: Expression | undefined) =>
  all && !("skip_if" in more || "mock" in more) ? { stop_after_all_iters_if: { expr: all([]) } } : {};

const failureModule = fc
  .record({
    v: just("{ recover: true, told: error.step_id }", "[previous_result.error.step_id]", "flow_input.iter?.index"),
    fails: failures,
    always: just("0", "99"),
    attempts: fc.nat(1),
  })
  .map(({ v, fails, always, attempts }) => (modules: DrawnModule[]) => ({
    // Parallel branches share the count of its calls, so which of them it fails in would depend on their order.
    ...calls("failure", (hasParallelBranches(modules) ? always : fails)([]), v([])),
    ...(attempts > 0 ? { retry: { constant: { attempts, seconds: 0 } } } : {}),
  }));

const hasParallelBranches = (modules: DrawnModule[]) => JSON.stringify(modules).includes('"type":"branchall","parallel":true');

/**
 * Creates flows whose steps report each call. The input must contain `url`, which returns the number of calls of its path, `run`, which is
 * part of each path, and `x`.
 */
export const randomFlow: fc.Arbitrary<DrawnFlow> = fc
  .record({ drafts: fc.array(anyDraft, { minLength: 1, maxLength: 5, size: "max" }), failure: sometimes(failureModule, 4) })
  .map(({ drafts, failure }) => {
    let count = 0;
    const next = () => `s${count++}`;
    const { modules } = listed(drafts, { next, seen: ["nobody"] });
    return printed({ modules, ...(failure ? { failure_module: failure(modules) } : {}) });
  });

/** Prints a flow without the code, which is the same for every step. */
const printed = (flow: DrawnFlow): DrawnFlow =>
  Object.assign(flow, {
    [fc.toStringMethod]: () => JSON.stringify(flow, (name, value: unknown) => (name === "content" || name === "at" ? undefined : value)),
  });
