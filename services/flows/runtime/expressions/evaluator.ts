import { answerFor, isSvcError } from "../../../../contract/errors.ts";
import type { InputTransform } from "../../../../contract/flow-value.ts";
import { limits } from "../../../../contract/limits.ts";
import { readsOfJob } from "../../../../core/audit/entry.ts";
import { evaluate, isPlainPath } from "../../../../core/expressions/evaluate.ts";
import { endRef, indicesOf, outcomeRef, placeIn, progressRef } from "../../../../core/flows/journal.ts";
import { collectReferences, visibleSteps } from "../../../../core/flows/names.ts";
import type { Scope } from "../../../../core/flows/scopes.ts";
import type { RunningJob } from "../../../../core/jobs/job.ts";
import type { ValueRef } from "../../../../core/jobs/value-ref.ts";
import { NOTHING_RESUMED, resumedBy } from "../../../approvals/gates/resume-payloads.ts";
import { entryItem } from "../../../audit/audit.ts";
import type { ValueDeps } from "../../../jobs/values/values.ts";
import { readersOf } from "../../../resources/readers.ts";
import { type ResolveDeps, resolve } from "../../../resources/resolve.ts";
import { type LoadedPlan, loadPlan } from "../../definitions/load.ts";
import { endIn, isFailureModule, loadFlowValue, outcomeIn, progressIn, readItems, type StepContext } from "../step-context.ts";

/** An expression that failed: the step fails with it. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

/** Names that expressions see beside those of the flow: `result`, for one. */
export type More = Readonly<Record<string, unknown>>;

/** Evaluates the expressions of one place; each name is loaded once, and only if one of them uses it. */
export interface Evaluator {
  value(expression: string, more?: More): Promise<unknown>;
  /** Whatever is truthy counts. */
  holds(expression: string, more?: More): Promise<boolean>;
  transform(transform: InputTransform, more?: More): Promise<unknown>;
}

export function evaluator(step: StepContext, expressions: readonly string[]): Evaluator {
  const wanted = collectReferences(expressions);
  let names: Promise<Record<string, unknown>> | undefined;
  const loaded = () => {
    names ??= namesFor(step, wanted);
    return names;
  };
  const reads = new Map<string, unknown>();
  const value = async (expression: string, more: More = {}) => {
    const found = await evaluateReading(step, expression, { ...(await loaded()), ...more }, reads);
    if (found.ok) return found.value;
    // What is missing on a plain way is nothing, and no error.
    if (isPlainPath(expression) && /TypeError/.test(found.reason)) return null;
    throw new ExpressionError(`${expression.trim()}: ${found.reason}`);
  };
  return {
    value,
    holds: async (expression, more) => Boolean(await value(expression, more)),
    transform: async (transform, more) => {
      switch (transform.type) {
        case "static":
          return transform.value ?? null;
        case "javascript":
          return value(transform.expr, more);
        case "ai":
          throw new ExpressionError("Input transforms of type ai are not supported.");
      }
    },
  };
}

/** Whose rights reading has, and what it must hide. */
interface ExpressionContext {
  working: ResolveDeps & ValueDeps;
  flow: RunningJob;
  secrets: Set<string>;
}

/** What an expression yields that may read variables and resources: each that it asks for is read, then it is evaluated again. */
export async function evaluateReading(
  reading: ExpressionContext,
  expression: string,
  names: Readonly<Record<string, unknown>>,
  reads = new Map<string, unknown>(),
): Promise<{ ok: true; value: unknown } | { ok: false; reason: string }> {
  for (;;) {
    const found = await evaluate(expression, names, reads);
    if (found.ok || found.asks === undefined) return found;
    if (reads.size >= limits.expressionReads) {
      return { ok: false, reason: `it reads more than ${limits.expressionReads} variables and resources.` };
    }
    try {
      reads.set(found.asks, await readFor(reading, found.asks));
    } catch (error) {
      if (!isSvcError(error) || !error.code.startsWith("reference.")) throw error;
      return { ok: false, reason: answerFor(error).sentence };
    }
  }
}

/** Reads that this process has noted already, by flow and path: a loop asks for the same one each time. */
const noted = new Set<string>();
const NOTED_MOST = 10_000;

/** A value with its references resolved, with the rights of the flow's job. Secrets in it are hidden from here on, and the audit log has them. */
async function readFor({ working, flow, secrets }: ExpressionContext, value: unknown): Promise<unknown> {
  const readers = readersOf(working, flow);
  const found = await resolve(working, readers, flow.workspace, value);
  for (const secret of found.secrets) secrets.add(secret);
  const fresh = found.secretPaths.filter((path) => !noted.has(`${flow.id} ${path}`));
  if (fresh.length > 0) {
    const [reader] = await readers;
    const entries = readsOfJob(flow, reader?.username ?? flow.createdBy, fresh, working.nowMs());
    await Promise.all(entries.map((entry) => working.objects.put(entryItem(entry))));
    if (noted.size >= NOTED_MOST) noted.clear();
    for (const path of fresh) noted.add(`${flow.id} ${path}`);
  }
  return found.value;
}

async function namesFor(step: StepContext, wanted: ReturnType<typeof collectReferences>): Promise<Record<string, unknown>> {
  const steps = visibleSteps(step.plan.index, step.scope, step.at, wanted.results);
  const before = previousModule(step);
  const failing = isFailureModule(step);
  const refs = [
    ...[...steps].map(([id, { scope, at }]) => outcomeRef(id, scope.name, at)),
    ...((wanted.previous || wanted.resume) && before ? [outcomeRef(before, step.scope.name, step.at)] : []),
    ...(wanted.previous && failing ? [endRef(step.scope.name, step.at)] : []),
  ];
  const items = refs.length === 0 ? new Map<string, string>() : await readItems(step, refs);
  const results: Record<string, unknown> = {};
  const [flow_input, flow_env] = await Promise.all([
    wanted.input || (wanted.previous && !before && !failing) ? inputOf(step) : null,
    wanted.env ? environmentOf(step) : null,
    ...[...steps].map(async ([id, { scope, at }]) => {
      const outcome = outcomeIn(items, id, scope.name, at);
      results[id] = outcome ? await loadFlowValue(step, outcome.result) : null;
    }),
  ]);
  // Named, and nowhere: nothing, and no error.
  if (wanted.results !== "all") for (const id of wanted.results) results[id] ??= null;
  let previous_result: unknown = null;
  if (wanted.previous) {
    const outcome = before ? outcomeIn(items, before, step.scope.name, step.at) : undefined;
    const end = failing ? endIn(items, step.scope.name, step.at) : undefined;
    if (end) previous_result = errorIn(await loadFlowValue(step, end.result));
    else if (before) previous_result = outcome ? await loadFlowValue(step, outcome.result) : null;
    else previous_result = flow_input;
  }
  const error = (previous_result as { error?: unknown } | null)?.error ?? null;
  const { gate } = (wanted.resume && before && outcomeIn(items, before, step.scope.name, step.at)) || {};
  const resumed = gate === undefined ? NOTHING_RESUMED : await resumedBy(step.working, gate);
  return { flow_input, results, previous_result, error, flow_env, ...resumed };
}

/** Of a list's results, the last one is the error that ended it. */
function errorIn(result: unknown): unknown {
  return Array.isArray(result) ? result.at(-1) : result;
}

/** The module whose result is `previous_result` here; none for the first one, and for those beside the others. */
export function previousModule({ plan, module, scope }: StepContext): string | undefined {
  const placed = plan.index.modules.get(module.id);
  return placed && placed.index > 0 ? scope.modules[placed.index - 1]?.id : undefined;
}

export const inputOfFlow = ({ id, args, argsShown }: StepContext["flow"]): ValueRef => ({
  of: id,
  place: args,
  ...(argsShown ? { shown: argsShown } : {}),
});

/** The input of the flow, or of the iteration that this place is in. */
export async function inputOf(step: StepContext): Promise<Record<string, unknown>> {
  const { flow, scope, at } = step;
  let input = (await loadFlowValue(step, inputOfFlow(flow))) as Record<string, unknown>;
  const indices = indicesOf(at);
  for (const [depth, loop] of loopsAround(scope).entries()) {
    const index = indices[depth] ?? 0;
    input = withIter(input, { index, value: await itemAt(step, loop, index) });
  }
  return input;
}

/** The inner loop's `iter` hides the outer one's, which is `iter_parent` from there on, and so on. */
function withIter(input: Record<string, unknown>, iter: { index: number; value: unknown }): Record<string, unknown> {
  const next: Record<string, unknown> = { ...input };
  let name = "iter";
  let held: unknown = iter;
  for (;;) {
    const hidden = next[name];
    next[name] = held;
    if (hidden === undefined) return next;
    held = hidden;
    name = name === "iter" ? "iter_parent" : `${name}_parent`;
  }
}

/** The scopes of the loops around, outermost first. */
function loopsAround(scope: Scope): Scope[] {
  const found: Scope[] = [];
  for (let inner: Scope | undefined = scope; inner; inner = inner.of?.scope) {
    const of: Scope | undefined = inner.of?.scope;
    if (of && inner.loops.length > of.loops.length) found.unshift(inner);
  }
  return found;
}

async function itemAt(step: StepContext, body: Scope, index: number): Promise<unknown> {
  const { of } = body;
  if (of?.module.value.type !== "forloopflow") return index;
  const at = placeIn(of.scope, step.at);
  const { id } = of.module;
  const items = await readItems(step, [progressRef(id, of.scope.name, at)]);
  const { list } = progressIn(items, id, of.scope.name, at) ?? {};
  return list === undefined ? null : ((await listOf(step, list)) as unknown[])[index];
}

/** Lists that iterations of this process have looked into: each is frozen, and read once for many of them. */
const lists = new Map<string, { value: Promise<unknown>; secrets: Set<string> }>();
const LISTS_MOST = 20;

async function listOf(step: StepContext, kept: ValueRef): Promise<unknown> {
  const { place } = kept;
  if (place.in === "head") return loadFlowValue(step, kept);
  const name = `${kept.of} ${place.in === "item" ? place.ref : place.key}`;
  let known = lists.get(name);
  if (!known) {
    const secrets = new Set<string>();
    known = { value: loadFlowValue({ ...step, secrets }, kept), secrets };
    if (lists.size >= LISTS_MOST) lists.clear();
    lists.set(name, known);
    known.value.catch(() => lists.delete(name));
  }
  const value = await known.value;
  for (const secret of known.secrets) step.secrets.add(secret);
  return value;
}

/** The flow's environment, its references resolved with the rights of the job. A nested flow without one has its caller's. */
export async function environmentOf({ working, flow, plan, secrets }: ExpressionContext & { plan: LoadedPlan }): Promise<unknown> {
  const { flow_env: own } = plan.value;
  if (!own && flow.step && flow.parent !== undefined) {
    const parent = await working.jobs.get(flow.parent);
    if (parent?.state === "running" && parent.flow?.plan) {
      return environmentOf({ working, flow: parent, plan: await loadPlan(working, parent.flow.plan), secrets });
    }
  }
  return readFor({ working, flow, secrets }, own ?? {});
}
