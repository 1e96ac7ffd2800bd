import type { FlowModule } from "../../../../contract/flow-value.ts";
import { eventsOf, HISTORY_EVENTS, iterationsAtOnce } from "../../../../core/flows/history.ts";
import { endRef, FAILURE, innerAt, insideAt, type Kept, outcomeRef, placeIn } from "../../../../core/flows/journal.ts";
import { bodyScope, branchScope, DEFAULT, isParallel, type Scope } from "../../../../core/flows/scopes.ts";
import type { FlowState } from "../../../../core/flows/step-call.ts";
import { decide } from "../complete-step.ts";
import { type Evaluator, inputOf, inputOfFlow, previousModule } from "../expressions/evaluator.ts";
import {
  endIn,
  failuresOf,
  goTo,
  type Here,
  keepValue,
  keptValue,
  outcomeIn,
  readItems,
  recovers,
  writeEnd,
  writeProgress,
} from "../step-context.ts";
import { type Done, failed } from "../step-result.ts";

/** How a list of modules ended; `undefined`: it has not, and is to be run. */
interface Ended {
  how: "done" | "stopped" | "failed" | "again";
  result: Kept;
  skip?: boolean | undefined;
  job?: string | undefined;
  canceled?: boolean | undefined;
}
type Value<T extends FlowModule["value"]["type"]> = Extract<FlowModule["value"], { type: T }>;

/** At most so many iterations are under way at once; a Map takes no more. */
const WIDTH = 40;

/** A module with lists inside: names the list to run next, until all that must run have ended, and then says what came of it. */
export async function drive(here: Here, evaluator: Evaluator): Promise<FlowState> {
  switch (here.module.value.type) {
    case "branchone":
      return branchOne(here, evaluator, here.module.value);
    case "branchall":
      return (isParallel(here.module) ? allAtOnce : oneByOne)(here, evaluator);
    case "forloopflow":
      return forLoop(here, evaluator, here.module.value);
    default:
      return oneByOne(here, evaluator);
  }
}

/** Nothing but its own predicate can stop a while loop without steps. */
const ENDLESS = { name: "EndlessLoop", message: "A while loop without steps does not come to an end: put one into it." };
const EMPTY_MOST = 1000;
const endlessFrom = ({ module }: Here) => (module.stop_after_if ? EMPTY_MOST : 0);

const inside = (here: Here) => insideAt(here.module.id, here.at, failuresOf(here));

function scopeOf({ plan }: Here, name: string): Scope {
  const scope = plan.index.scopes.get(name);
  if (!scope) throw new Error(`The flow has no list ${name}.`);
  return scope;
}

/** How lists of one kind, at several places, have ended. */
async function endsOf(here: Here, places: readonly { scope: Scope; at: string }[]): Promise<(Ended | undefined)[]> {
  const failure = here.plan.value.failure_module !== undefined && here.plan.value.failure_module !== null;
  const refs = places.flatMap(({ scope, at }) => [
    endRef(scope.name, at),
    ...(failure ? [outcomeRef(FAILURE, scope.name, at)] : []),
    ...lastOf(scope).map((id) => outcomeRef(id, scope.name, at)),
  ]);
  const items = await readItems(here, refs);
  const endOf = async ({ scope, at }: (typeof places)[number]): Promise<Ended | undefined> => {
    // A list without modules yields its input.
    if (scope.modules.length === 0) return { how: "done", result: await keepValue(here, await inputOf({ ...here, scope, at })) };
    const end = endIn(items, scope.name, at);
    const last = lastOf(scope)[0];
    const outcome = last === undefined ? undefined : outcomeIn(items, last, scope.name, at);
    if (end?.how === "again") return end.n === here.state.n ? { how: "again", result: end.result } : undefined;
    if (end?.how === "stopped") return { how: "stopped", result: end.result, skip: end.skip, job: outcome?.job };
    if (end) {
      const mended = failure ? outcomeIn(items, FAILURE, scope.name, at) : undefined;
      // What the failure module says takes the place of the error; until it has run, the list has not ended.
      if (failure && !end.handled && !mended) return undefined;
      if (mended && (await recovers(here.working, mended))) return { how: "done", result: mended.result, job: mended.job };
      return { how: "failed", result: mended?.result ?? end.result, job: mended?.job ?? end.job, canceled: end.canceled };
    }
    return outcome?.goes === "next" ? { how: "done", result: outcome.result, job: outcome.job } : undefined;
  };
  return Promise.all(places.map(endOf));
}
const lastOf = ({ modules }: Scope) => modules.slice(-1).map(({ id }) => id);

/** Notes which list is run in this execution. Coming back without its end, it was lost on the way: another execution must go on. */
async function dispatch(here: Here, change: { index?: number; branch?: number | "default" }): Promise<void> {
  const { progress, state } = here;
  if (!here.segment && progress.n === state.n && progress.index === change.index && progress.branch === change.branch) {
    throw new Error(`What the module ${here.module.id} runs has not ended.`);
  }
  await writeProgress(here, { ...change, n: state.n });
}

async function branchOne(here: Here, evaluator: Evaluator, { branches }: Value<"branchone">): Promise<FlowState> {
  const { module, progress } = here;
  let { branch } = progress;
  if (branch === undefined) {
    branch = DEFAULT;
    for (const [index, { expr }] of branches.entries()) {
      if (!(await evaluator.holds(expr))) continue;
      branch = index;
      break;
    }
  }
  const scope = scopeOf(here, branchScope(module.id, branch));
  const at = inside(here);
  if (scope.modules.length === 0) return decide(here, evaluator, { ok: true, result: await previousOf(here), also: { branch } });
  const [ended] = await endsOf(here, [{ scope, at }]);
  if (ended?.how === "again") return again(here);
  if (!ended) {
    await dispatch(here, { branch });
    return goTo(here, `branch ${branch}`, { at });
  }
  const also = { branch, ...(ended.job ? { job: ended.job } : {}) };
  return decide(here, evaluator, {
    ok: ended.how !== "failed",
    result: ended.result,
    also,
    handled: true,
    canceled: ended.canceled,
    ...(ended.how === "stopped" ? { stopped: true, skip: ended.skip } : {}),
  });
}

async function forLoop(here: Here, evaluator: Evaluator, { iterator }: Value<"forloopflow">): Promise<FlowState> {
  if (here.progress.list === undefined) {
    const list = await evaluator.transform(iterator);
    if (!Array.isArray(list)) {
      const kind = list === null ? "null" : typeof list;
      return decide(
        here,
        evaluator,
        await failed(here, { name: "IteratorError", message: `Expected an array to iterate over, got ${kind}.` }),
      );
    }
    const { parallelism } = here.module.value as Value<"forloopflow">;
    const asked = typeof parallelism === "object" && parallelism !== null ? Number(await evaluator.transform(parallelism)) : parallelism;
    const width = Math.min(asked && asked >= 1 ? Math.floor(asked) : WIDTH, WIDTH);
    const began = { list: await keepValue(here, list), count: list.length, width };
    here = { ...here, progress: await writeProgress(here, began) };
  }
  return isParallel(here.module) ? allAtOnce(here, evaluator) : oneByOne(here, evaluator);
}

/** The list inside with that index: an iteration's, or a branch's. */
function placeOf(here: Here, index: number): { scope: Scope; at: string } {
  const { module } = here;
  if (module.value.type === "branchall") return { scope: scopeOf(here, branchScope(module.id, index)), at: inside(here) };
  return { scope: scopeOf(here, bodyScope(module.id)), at: innerAt(inside(here), index) };
}

function countOf({ module, progress }: Here): number {
  if (module.value.type === "branchall") return module.value.branches.length;
  return module.value.type === "whileloopflow" ? Number.POSITIVE_INFINITY : (progress.count ?? 0);
}

function skipsFailure({ value }: FlowModule, index: number): boolean {
  if (value.type === "branchall") return value.branches[index]?.skip_failure ?? false;
  return "skip_failures" in value && value.skip_failures === true;
}

async function oneByOne(here: Here, evaluator: Evaluator): Promise<FlowState> {
  const { module, state } = here;
  const loops = module.value.type !== "branchall";
  const count = countOf(here);
  for (let index = here.progress.index ?? 0; index < count; index += 1) {
    const place = placeOf(here, index);
    const endless = count === Number.POSITIVE_INFINITY && place.scope.modules.length === 0 && index >= endlessFrom(here);
    if (endless) return decide(here, evaluator, await failed(here, ENDLESS));
    const [ended] = await endsOf(here, [place]);
    if (ended?.how === "again") return again(here);
    if (!ended) {
      const events = state.e + eventsOf(place.scope.modules);
      if (loops && events > HISTORY_EVENTS) return again(here);
      await dispatch(here, { index });
      return goTo(here, loops ? "iterate" : `branch ${index}`, { at: place.at, e: events });
    }
    if (ended.how === "failed" && !skipsFailure(module, index)) return collected(here, evaluator, index + 1, { ok: false });
    if (ended.how === "stopped")
      return collected(here, evaluator, index + 1, loops ? { ok: true } : { ok: true, stopped: true, skip: ended.skip });
    const { stop_after_if: predicate } = module;
    if (loops && predicate) {
      const result = await keptValue(here, ended.result);
      const all_iters = /\ball_iters\b/.test(predicate.expr) ? (await resultsOf(here, index + 1)).values : [];
      if (await evaluator.holds(predicate.expr, { result, all_iters })) return collected(here, evaluator, index + 1, { ok: true });
    }
  }
  return collected(here, evaluator, count, { ok: true });
}

/** In rounds: each is what a Map takes at once, and ends before the next one begins. */
async function allAtOnce(here: Here, evaluator: Evaluator): Promise<FlowState> {
  const { module, progress, state } = here;
  const count = countOf(here);
  const loops = module.value.type !== "branchall";
  const width = loops ? (progress.width ?? WIDTH) : Math.max(count, 1);
  for (let index = progress.index ?? 0; index < count; index += width) {
    const round = Array.from({ length: Math.min(width, count - index) }, (_, offset) => index + offset);
    const places = round.map((each) => placeOf(here, each));
    const ends = await endsOf(here, places);
    if (ends.some((end) => end?.how === "again")) return again(here);
    const open = round.filter((_, offset) => ends[offset] === undefined);
    const left = loops ? open.slice(0, iterationsAtOnce(module, state.e)) : open;
    if (left.length === 0) continue;
    const events = state.e + left.length * eventsOf(places[0]?.scope.modules ?? []);
    if (loops && events > HISTORY_EVENTS && state.e > 0) return again(here);
    await dispatch(here, { index: loops ? (left[0] ?? index) : index });
    const at = inside(here);
    return loops ? goTo(here, "map", { at, e: events, list: left.map(String) }) : goTo(here, "parallel", { at, e: events });
  }
  return collected(here, evaluator, count, {});
}

/** Another execution goes on. From inside of what runs in parallel, that is said to the module around. */
export async function again(here: Here): Promise<FlowState> {
  for (let scope: Scope | undefined = here.scope; scope?.of; scope = scope.of.scope) {
    if (!isParallel(scope.of.module)) continue;
    const nothing = { of: here.flow.id, place: { in: "head" as const, json: "null" } };
    const at = placeIn(scope, here.at);
    await writeEnd({ ...here, scope, at }, { how: "again", by: here.module.id, result: nothing, n: here.state.n });
    break;
  }
  return goTo(here, "again");
}

async function resultsOf(here: Here, count: number) {
  const ends = await endsOf(
    here,
    Array.from({ length: count }, (_, index) => placeOf(here, index)),
  );
  const values: unknown[] = [];
  // Some at a time: each may be an object in S3.
  for (let start = 0; start < ends.length; start += 50) {
    const part = ends.slice(start, start + 50);
    values.push(...(await Promise.all(part.map((end) => (end ? keptValue(here, end.result) : null)))));
  }
  return { ends, values };
}

/** The results of the lists inside, in their order, as the module's own. */
async function collected(here: Here, evaluator: Evaluator, count: number, so: Partial<Done>): Promise<FlowState> {
  const { module } = here;
  const { ends, values } = await resultsOf(here, count);
  const succeeded = ends.map((end) => end?.how !== "failed");
  const ok = so.ok ?? succeeded.every((each, index) => each || skipsFailure(module, index));
  const jobs = ends.map((end) => end?.job ?? null);
  const canceled = ends.some((end, index) => end?.canceled && !skipsFailure(module, index));
  return decide(here, evaluator, {
    ...so,
    ok,
    canceled,
    result: await keepValue(here, values),
    also: { jobs: jobs.slice(0, JOBS_NAMED), succeeded: succeeded.slice(0, JOBS_NAMED) },
    handled: true,
  });
}
/** So many jobs are named in the outcome of a loop: an item of the journal holds no more. */
const JOBS_NAMED = 2000;

/** What an identity gives on: the result before it, or the input of where it stands. */
export async function previousOf(here: Here): Promise<Kept> {
  const before = previousModule(here);
  if (before !== undefined) {
    const items = await readItems(here, [outcomeRef(before, here.scope.name, here.at)]);
    const outcome = outcomeIn(items, before, here.scope.name, here.at);
    if (outcome) return outcome.result;
  }
  if (here.scope.loops.length === 0) return inputOfFlow(here.flow);
  return keepValue(here, await inputOf(here));
}
