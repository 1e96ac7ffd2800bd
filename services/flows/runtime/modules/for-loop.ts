import type { FlowModule } from "../../../../contract/flow-value.ts";
import { eventsOf, HISTORY_EVENTS, iterationsAtOnce } from "../../../../core/flows/history.ts";
import { endRef, FAILURE, innerAt, insideAt, outcomeRef, placeIn } from "../../../../core/flows/journal.ts";
import { bodyScope, branchScope, DEFAULT, isParallel, type Scope } from "../../../../core/flows/scopes.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import type { ValueRef } from "../../../../core/jobs/value-ref.ts";
import { completeStep } from "../complete-step.ts";
import { type Evaluator, inputOf, inputOfFlow, previousModule } from "../expressions/evaluator.ts";
import {
  endIn,
  failuresOf,
  goTo,
  loadFlowValue,
  outcomeIn,
  readItems,
  recovers,
  type StepContext,
  storeFlowValue,
  writeEnd,
  writeProgress,
} from "../step-context.ts";
import { failureResult, type StepResult } from "../step-result.ts";

/** How a list of modules ended; `undefined`: it has not, and is to be run. */
interface ListResult {
  how: "done" | "stopped" | "failed" | "again";
  result: ValueRef;
  skip?: boolean | undefined;
  job?: string | undefined;
  canceled?: boolean | undefined;
}
type Value<T extends FlowModule["value"]["type"]> = Extract<FlowModule["value"], { type: T }>;

/** At most so many iterations are under way at once; a Map takes no more. */
const WIDTH = 40;

/** A module with lists inside: names the list to run next, until all that must run have ended, and then says what came of it. */
export async function runContainer(step: StepContext, expressions: Evaluator): Promise<StepState> {
  switch (step.module.value.type) {
    case "branchone":
      return branchOne(step, expressions, step.module.value);
    case "branchall":
      return (isParallel(step.module) ? allAtOnce : oneByOne)(step, expressions);
    case "forloopflow":
      return forLoop(step, expressions, step.module.value);
    default:
      return oneByOne(step, expressions);
  }
}

/** Nothing but its own predicate can stop a while loop without steps. */
const ENDLESS = { name: "EndlessLoop", message: "A while loop without steps never ends. Add a step to it." };
const EMPTY_MOST = 1000;
const endlessFrom = ({ module }: StepContext) => (module.stop_after_if ? EMPTY_MOST : 0);

const inside = (step: StepContext) => insideAt(step.module.id, step.at, failuresOf(step));

function scopeOf({ plan }: StepContext, name: string): Scope {
  const scope = plan.index.scopes.get(name);
  if (!scope) throw new Error(`The flow has no list ${name}.`);
  return scope;
}

/** How lists of one kind, at several places, have ended. */
async function endsOf(step: StepContext, places: readonly { scope: Scope; at: string }[]): Promise<(ListResult | undefined)[]> {
  const failure = step.plan.value.failure_module !== undefined && step.plan.value.failure_module !== null;
  const refs = places.flatMap(({ scope, at }) => [
    endRef(scope.name, at),
    ...(failure ? [outcomeRef(FAILURE, scope.name, at)] : []),
    ...lastOf(scope).map((id) => outcomeRef(id, scope.name, at)),
  ]);
  const items = await readItems(step, refs);
  const endOf = async ({ scope, at }: (typeof places)[number]): Promise<ListResult | undefined> => {
    // A list without modules yields its input.
    if (scope.modules.length === 0) return { how: "done", result: await storeFlowValue(step, await inputOf({ ...step, scope, at })) };
    const end = endIn(items, scope.name, at);
    const last = lastOf(scope)[0];
    const outcome = last === undefined ? undefined : outcomeIn(items, last, scope.name, at);
    if (end?.how === "again") return end.n === step.state.n ? { how: "again", result: end.result } : undefined;
    if (end?.how === "stopped") return { how: "stopped", result: end.result, skip: end.skip, job: outcome?.job };
    if (end) {
      const mended = failure ? outcomeIn(items, FAILURE, scope.name, at) : undefined;
      // What the failure module says takes the place of the error; until it has run, the list has not ended.
      if (failure && !end.handled && !mended) return undefined;
      if (mended && (await recovers(step.working, mended))) return { how: "done", result: mended.result, job: mended.job };
      return { how: "failed", result: mended?.result ?? end.result, job: mended?.job ?? end.job, canceled: end.canceled };
    }
    return outcome?.goes === "next" ? { how: "done", result: outcome.result, job: outcome.job } : undefined;
  };
  return Promise.all(places.map(endOf));
}
const lastOf = ({ modules }: Scope) => modules.slice(-1).map(({ id }) => id);

/** Notes which list is run in this execution. Coming back without its end, it was lost on the way: another execution must go on. */
async function dispatch(step: StepContext, change: { index?: number; branch?: number | "default" }): Promise<void> {
  const { progress, state } = step;
  if (!step.segment && progress.n === state.n && progress.index === change.index && progress.branch === change.branch) {
    throw new Error(`The iterations or branches of the module ${step.module.id} have not ended.`);
  }
  await writeProgress(step, { ...change, n: state.n });
}

async function branchOne(step: StepContext, expressions: Evaluator, { branches }: Value<"branchone">): Promise<StepState> {
  const { module, progress } = step;
  let { branch } = progress;
  if (branch === undefined) {
    branch = DEFAULT;
    for (const [index, { expr }] of branches.entries()) {
      if (!(await expressions.holds(expr))) continue;
      branch = index;
      break;
    }
  }
  const scope = scopeOf(step, branchScope(module.id, branch));
  const at = inside(step);
  if (scope.modules.length === 0) return completeStep(step, expressions, { ok: true, result: await previousOf(step), also: { branch } });
  const [ended] = await endsOf(step, [{ scope, at }]);
  if (ended?.how === "again") return again(step);
  if (!ended) {
    await dispatch(step, { branch });
    return goTo(step, `branch ${branch}`, { at });
  }
  const also = { branch, ...(ended.job ? { job: ended.job } : {}) };
  return completeStep(step, expressions, {
    ok: ended.how !== "failed",
    result: ended.result,
    also,
    handled: true,
    canceled: ended.canceled,
    ...(ended.how === "stopped" ? { stopped: true, skip: ended.skip } : {}),
  });
}

async function forLoop(step: StepContext, expressions: Evaluator, { iterator }: Value<"forloopflow">): Promise<StepState> {
  if (step.progress.list === undefined) {
    const list = await expressions.transform(iterator);
    if (!Array.isArray(list)) {
      const kind = list === null ? "null" : typeof list;
      return completeStep(
        step,
        expressions,
        await failureResult(step, { name: "IteratorError", message: `Expected an array to iterate over, but got ${kind}.` }),
      );
    }
    const { parallelism } = step.module.value as Value<"forloopflow">;
    const asked = typeof parallelism === "object" && parallelism !== null ? Number(await expressions.transform(parallelism)) : parallelism;
    const width = Math.min(asked && asked >= 1 ? Math.floor(asked) : WIDTH, WIDTH);
    const began = { list: await storeFlowValue(step, list), count: list.length, width };
    step = { ...step, progress: await writeProgress(step, began) };
  }
  return isParallel(step.module) ? allAtOnce(step, expressions) : oneByOne(step, expressions);
}

/** The list inside with that index: an iteration's, or a branch's. */
function placeOf(step: StepContext, index: number): { scope: Scope; at: string } {
  const { module } = step;
  if (module.value.type === "branchall") return { scope: scopeOf(step, branchScope(module.id, index)), at: inside(step) };
  return { scope: scopeOf(step, bodyScope(module.id)), at: innerAt(inside(step), index) };
}

function countOf({ module, progress }: StepContext): number {
  if (module.value.type === "branchall") return module.value.branches.length;
  return module.value.type === "whileloopflow" ? Number.POSITIVE_INFINITY : (progress.count ?? 0);
}

function skipsFailure({ value }: FlowModule, index: number): boolean {
  if (value.type === "branchall") return value.branches[index]?.skip_failure ?? false;
  return "skip_failures" in value && value.skip_failures === true;
}

async function oneByOne(step: StepContext, expressions: Evaluator): Promise<StepState> {
  const { module, state } = step;
  const loops = module.value.type !== "branchall";
  const count = countOf(step);
  for (let index = step.progress.index ?? 0; index < count; index += 1) {
    const place = placeOf(step, index);
    const endless = count === Number.POSITIVE_INFINITY && place.scope.modules.length === 0 && index >= endlessFrom(step);
    if (endless) return completeStep(step, expressions, await failureResult(step, ENDLESS));
    const [ended] = await endsOf(step, [place]);
    if (ended?.how === "again") return again(step);
    if (!ended) {
      const events = state.e + eventsOf(place.scope.modules);
      if (loops && events > HISTORY_EVENTS) return again(step);
      await dispatch(step, { index });
      return goTo(step, loops ? "iterate" : `branch ${index}`, { at: place.at, e: events });
    }
    if (ended.how === "failed" && !skipsFailure(module, index)) return collected(step, expressions, index + 1, { ok: false });
    if (ended.how === "stopped")
      return collected(step, expressions, index + 1, loops ? { ok: true } : { ok: true, stopped: true, skip: ended.skip });
    const { stop_after_if: predicate } = module;
    if (loops && predicate) {
      const result = await loadFlowValue(step, ended.result);
      const all_iters = /\ball_iters\b/.test(predicate.expr) ? (await resultsOf(step, index + 1)).values : [];
      if (await expressions.holds(predicate.expr, { result, all_iters })) return collected(step, expressions, index + 1, { ok: true });
    }
  }
  return collected(step, expressions, count, { ok: true });
}

/** In rounds: each is what a Map takes at once, and ends before the next one begins. */
async function allAtOnce(step: StepContext, expressions: Evaluator): Promise<StepState> {
  const { module, progress, state } = step;
  const count = countOf(step);
  const loops = module.value.type !== "branchall";
  const width = loops ? (progress.width ?? WIDTH) : Math.max(count, 1);
  for (let index = progress.index ?? 0; index < count; index += width) {
    const round = Array.from({ length: Math.min(width, count - index) }, (_, offset) => index + offset);
    const places = round.map((each) => placeOf(step, each));
    const ends = await endsOf(step, places);
    if (ends.some((end) => end?.how === "again")) return again(step);
    const open = round.filter((_, offset) => ends[offset] === undefined);
    const left = loops ? open.slice(0, iterationsAtOnce(module, state.e)) : open;
    if (left.length === 0) continue;
    const events = state.e + left.length * eventsOf(places[0]?.scope.modules ?? []);
    if (loops && events > HISTORY_EVENTS && state.e > 0) return again(step);
    await dispatch(step, { index: loops ? (left[0] ?? index) : index });
    const at = inside(step);
    return loops ? goTo(step, "map", { at, e: events, list: left.map(String) }) : goTo(step, "parallel", { at, e: events });
  }
  return collected(step, expressions, count, {});
}

/** Another execution goes on. From inside of what runs in parallel, that is said to the module around. */
export async function again(step: StepContext): Promise<StepState> {
  for (let scope: Scope | undefined = step.scope; scope?.of; scope = scope.of.scope) {
    if (!isParallel(scope.of.module)) continue;
    const nothing = { of: step.flow.id, place: { in: "head" as const, json: "null" } };
    const at = placeIn(scope, step.at);
    await writeEnd({ ...step, scope, at }, { how: "again", by: step.module.id, result: nothing, n: step.state.n });
    break;
  }
  return goTo(step, "again");
}

async function resultsOf(step: StepContext, count: number) {
  const ends = await endsOf(
    step,
    Array.from({ length: count }, (_, index) => placeOf(step, index)),
  );
  const values: unknown[] = [];
  // Some at a time: each may be an object in S3.
  for (let start = 0; start < ends.length; start += 50) {
    const part = ends.slice(start, start + 50);
    values.push(...(await Promise.all(part.map((end) => (end ? loadFlowValue(step, end.result) : null)))));
  }
  return { ends, values };
}

/** The results of the lists inside, in their order, as the module's own. */
async function collected(step: StepContext, expressions: Evaluator, count: number, so: Partial<StepResult>): Promise<StepState> {
  const { module } = step;
  const { ends, values } = await resultsOf(step, count);
  const succeeded = ends.map((end) => end?.how !== "failed");
  const ok = so.ok ?? succeeded.every((each, index) => each || skipsFailure(module, index));
  const jobs = ends.map((end) => end?.job ?? null);
  const canceled = ends.some((end, index) => end?.canceled && !skipsFailure(module, index));
  return completeStep(step, expressions, {
    ...so,
    ok,
    canceled,
    result: await storeFlowValue(step, values),
    also: { jobs: jobs.slice(0, JOBS_NAMED), succeeded: succeeded.slice(0, JOBS_NAMED) },
    handled: true,
  });
}
/** So many jobs are named in the outcome of a loop: an item of the journal holds no more. */
const JOBS_NAMED = 2000;

/** What an identity gives on: the result before it, or the input of where it stands. */
export async function previousOf(step: StepContext): Promise<ValueRef> {
  const before = previousModule(step);
  if (before !== undefined) {
    const items = await readItems(step, [outcomeRef(before, step.scope.name, step.at)]);
    const outcome = outcomeIn(items, before, step.scope.name, step.at);
    if (outcome) return outcome.result;
  }
  if (step.scope.loops.length === 0) return inputOfFlow(step.flow);
  return storeFlowValue(step, await inputOf(step));
}
