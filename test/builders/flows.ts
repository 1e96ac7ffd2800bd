import fc from "fast-check";
import { type FlowModule, type FlowValue, storedFlowValueSchema } from "../../contract/flows/flow-value.ts";
import { anyText } from "./any-text.ts";

/** Builds a stored flow from a submitted one. */
export const aFlow = (value: object): FlowValue => storedFlowValueSchema.parse(value);

/** A step that runs nothing. */
export const identity = (id: string, more: object = {}) => ({ id, value: { type: "identity" }, ...more });

type Sent = { id: string; value: object };
const expr = { expr: "result" };
const retry = { constant: { attempts: 1, seconds: 1 } };
const few = { maxLength: 3, depthIdentifier: "modules" } as const;

/** The options of a module in addition to its value. */
const around = fc.record(
  {
    summary: anyText({ maxLength: 120 }),
    retry: fc.constant(retry),
    sleep: fc.constant({ type: "static", value: 1 }),
    stop_after_if: fc.constant(expr),
    stop_after_all_iters_if: fc.constant(expr),
    skip_if: fc.constant(expr),
    continue_on_error: fc.boolean(),
  },
  { requiredKeys: [] },
);

const { modules } = fc.letrec<{ value: object; modules: Sent[] }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", depthIdentifier: "modules" },
    fc.constant({ type: "identity" }),
    fc.constant({ type: "script", path: "f/t/any" }),
    fc.record({ type: fc.constant("whileloopflow"), modules: tie("modules") }),
    fc.record({
      type: fc.constant("forloopflow"),
      iterator: fc.constant({ type: "static", value: [] }),
      parallel: fc.boolean(),
      modules: tie("modules"),
    }),
    fc.record({
      type: fc.constant("branchone"),
      branches: fc.array(fc.record({ expr: fc.constant("true"), modules: tie("modules") }), few),
      default: tie("modules"),
    }),
    fc.record({
      type: fc.constant("branchall"),
      parallel: fc.boolean(),
      branches: fc.array(fc.record({ modules: tie("modules") }), few),
    }),
  ),
  modules: fc.array(
    fc.record({ more: around, value: tie("value") }).map(({ more, value }) => ({ id: "any", ...more, value })),
    few,
  ),
}));

/** Ids that resemble the compiler's state names or elements of the language, and ids of maximum length. */
const ids = ["a", "end", "finish", "States", "Next", "Branches", "Iterator", "toString", "0", "x".repeat(80), "x".repeat(79)];

/** Flows of every kind of module in one another, under hostile names. */
export const anyFlow: fc.Arbitrary<FlowValue> = fc
  .record({
    modules,
    failure: fc.option(around),
    preprocessor: fc.boolean(),
    first: fc.nat({ max: ids.length - 1 }),
  })
  .map(({ modules: sent, failure, preprocessor, first }) => {
    const value = aFlow({
      modules: sent,
      ...(failure ? { failure_module: { id: "failure", value: { type: "script", path: "f/t/any" }, ...failure } } : {}),
      ...(preprocessor ? { preprocessor_module: { id: "preprocessor", value: { type: "script", path: "f/t/any" } } } : {}),
    });
    return named(value, first);
  });

/** Each module under its own id. */
function named(value: FlowValue, first: number): FlowValue {
  let count = first;
  const rename = (list: FlowModule[]): FlowModule[] =>
    list.map((module) => {
      const id = ids[count] ?? `step-${count}`;
      count += 1;
      return { ...module, id, value: renamed(module.value) };
    });
  const renamed = (inner: FlowModule["value"]): FlowModule["value"] => {
    switch (inner.type) {
      case "forloopflow":
      case "whileloopflow":
        return { ...inner, modules: rename(inner.modules) };
      case "branchone":
        return {
          ...inner,
          branches: inner.branches.map((one) => ({ ...one, modules: rename(one.modules) })),
          default: rename(inner.default ?? []),
        };
      case "branchall":
        return { ...inner, branches: inner.branches.map((one) => ({ ...one, modules: rename(one.modules) })) };
      default:
        return inner;
    }
  };
  return { ...value, modules: rename(value.modules) };
}
