import { createHash } from "node:crypto";
import type { FlowModule } from "../../../../contract/flow-value.ts";
import { limits } from "../../../../contract/limits.ts";
import { PREPROCESSOR } from "../../../../core/flows/journal.ts";
import { sharedFolderOf } from "../../../../core/flows/segments.ts";
import type { FlowState } from "../../../../core/flows/step-call.ts";
import { cacheKey, namesFiles } from "../../../../core/jobs/cache.ts";
import { type Concurrency, type ConcurrencyRule, concurrencyOf } from "../../../../core/jobs/concurrency.ts";
import { type EndedJob, hasEnded, type Job, type QueuedJob, type RunningJob } from "../../../../core/jobs/job.ts";
import { firstDueMs, flowLeftS } from "../../../../core/jobs/lifecycle.ts";
import { keys } from "../../../../core/objects/keys.ts";
import { withBody } from "../../../../core/payload/preprocessor.ts";
import { may } from "../../../../core/permissions/may.ts";
import { hasReferences } from "../../../../core/resources/references.ts";
import { concurrencyRuleOf, type Runnable } from "../../../../core/scripts/version.ts";
import { maskerOf } from "../../../../core/secrets/mask.ts";
import { ENTRYPOINT_ARGUMENT } from "../../../execution/invoke-runner.ts";
import { workOn } from "../../../execution/run-job.ts";
import { noteErasure } from "../../../jobs/erasure/erase.ts";
import { attemptFields } from "../../../jobs/lifecycle/claim.ts";
import { waitFor, waitForEnd } from "../../../jobs/read/wait.ts";
import { keep, load } from "../../../jobs/values/values.ts";
import { readersOf } from "../../../resources/readers.ts";
import { runnableOf } from "../../../scripts/load.ts";
import { decide } from "../complete-step.ts";
import type { Evaluator } from "../expressions/evaluator.ts";
import { park } from "../parked-jobs.ts";
import { attemptId, failuresOf, type Here, keepValue, keptResult, keptValue } from "../step-context.ts";
import { type Done, failed } from "../step-result.ts";

/** What a step's job is made of, besides its flow's identity. */
type What = Pick<RunningJob, "kind" | "path" | "hash" | "language" | "tag" | "timeoutS"> & { rule?: ConcurrencyRule | undefined };

/** Of a step that waits for a slot: its execution may end, another one goes on. */
class StepParked extends Error {
  override readonly name = "StepParked";
}

/** Runs a script step as a job of its own, whose id is made of its place: whoever comes again finds the same job. */
export async function runStep(here: Here, evaluator: Evaluator): Promise<FlowState> {
  const done = await attempted(here, evaluator);
  if (done.ok && here.module.id === PREPROCESSOR) await takeInput(here, done);
  return decide(here, evaluator, done);
}

/** What a step's job has of its flow's. */
export function ofFlow({ flow, plan, module, scope, at, working }: Here) {
  const shared = sharedFolderOf(plan.value, module, scope, at);
  const priority = module.priority ?? flow.priority;
  return {
    createdBy: flow.createdBy,
    email: flow.email,
    ...(flow.starter === undefined ? {} : { starter: flow.starter }),
    ...(flow.origin === undefined ? {} : { origin: flow.origin }),
    permissionedAs: flow.permissionedAs,
    superAdmin: flow.superAdmin,
    parent: flow.id,
    root: flow.root ?? flow.id,
    step: {
      id: module.id,
      scope: scope.name,
      at,
      ...(flow.path === undefined ? {} : { flow: flow.path }),
      ...(shared === undefined ? {} : { shared }),
    },
    trigger: flow.trigger,
    // Who reads along with a flow reads what its steps say.
    ...((flow.watchedUntilMs ?? 0) > working.nowMs() ? { watchedUntilMs: flow.watchedUntilMs } : {}),
    ...(priority ? { priority } : {}),
  };
}

/** How long after its flow's end what a step's job leaves is erased, as its module says, or what that stands in. */
export function erasedAfterS({ module, scope }: Pick<Here, "module" | "scope">): number | undefined {
  let afterS = module.delete_after_secs;
  for (let around = scope.of; around && typeof afterS !== "number"; around = around.scope.of) afterS = around.module.delete_after_secs;
  return afterS ?? undefined;
}

/** Notes when what a step's job leaves is to be erased. `own`: as what it runs says. */
export async function noteErasureOf(here: Pick<Here, "working" | "flow" | "module" | "scope">, id: string, own?: number): Promise<void> {
  const { working, flow } = here;
  const afterS = erasedAfterS(here) ?? own;
  if (afterS !== undefined && flow.erasesSteps === undefined) {
    await working.jobs.change(flow.id, { erasesSteps: "some" }, { attr: "erasesSteps", exists: false });
  }
  if (afterS !== undefined || flow.erasesSteps === "all") await noteErasure(working, flow, id, afterS);
}

/** What the preprocessor made of the event takes the place of the flow's input. */
async function takeInput({ working, flow }: Here, { result }: Done): Promise<void> {
  const made = JSON.parse(await load(working, { id: result.of }, result.place)) as unknown;
  const isObject = typeof made === "object" && made !== null && !Array.isArray(made);
  const args = await keep(working, flow, "args", JSON.stringify(isObject ? made : { value: made }));
  await working.jobs.change(flow.id, { args, preprocess: "done" }, { attr: "preprocess", eq: "wanted" });
}

async function attempted(here: Here, evaluator: Evaluator): Promise<Done> {
  const { working } = here;
  const id = attemptId(here);
  const [args, what] = await Promise.all([argumentsFor(here, evaluator), whatOf(here, evaluator)]);
  if ("missing" in what) return failed(here, { name: "NotFound", message: what.missing });
  const argsJson = JSON.stringify(args);
  if (Buffer.byteLength(argsJson) > limits.resolvedBytes) {
    const message = `The arguments of the step ${here.module.id} are larger than ${limits.resolvedBytes / 1024 / 1024} MB.`;
    return failed(here, { name: "ArgumentsTooLarge", message });
  }
  const { rule, ...version } = what;
  const owner = ownerOf(here, id);
  const child = { ...stepJob(here, owner, version), ...(await keptArguments(here, owner, args)), ...cacheOf(here, version, args) };
  await noteErasureOf(here, id);
  if (rule) {
    const group = concurrencyOf(rule, owner.workspace, what.path ?? `${child.parent}/${here.module.id}`, args);
    return doneBy(here, await limited(here, child, group));
  }
  const isNew = await working.jobs.create(child, firstDueMs(working.nowMs()));
  const ended = isNew ? await workOn(working, child, argsJson) : undefined;
  return doneBy(here, ended ?? (await endOf(here, id)));
}

export const ownerOf = ({ flow }: Here, id: string) => ({ id, workspace: flow.workspace, expiresAtMs: flow.expiresAtMs });

/** A step's job as it begins, but for its arguments. */
export function stepJob(here: Here, owner: ReturnType<typeof ownerOf>, what: Omit<What, "rule">): Omit<RunningJob, "args"> {
  const now = here.working.nowMs();
  return {
    ...ofFlow(here),
    ...owner,
    ...what,
    // What came from outside stays as it came: references in it stand for nothing.
    ...(here.module.id === PREPROCESSOR ? { preprocess: "done" as const } : {}),
    ...attemptFields(now, here.working.worker),
    createdAtMs: now,
    attempt: 1,
    losses: 0,
    logChars: 0,
  };
}

/** A step that may have to wait for a slot runs as every limited job does: by the queue, which claims it together with its slot. */
async function limited(here: Here, child: RunningJob, concurrency: Concurrency): Promise<EndedJob> {
  const { working, flow, state } = here;
  const { nonce: _, leaseUntilMs: __, startedAtMs: ___, worker: ____, ...rest } = child;
  const queued: QueuedJob = { ...rest, state: "queued", attempt: 0, concurrency };
  if (await working.jobs.create(queued, firstDueMs(queued.createdAtMs))) await working.queue.send(queued);
  const isWaiting = (job: Job) => job.state === "queued";
  const began = await waitFor(working, child.id, working.nowMs() + limits.slotWaitMs, (job) => !isWaiting(job));
  if (began) return endOf(here, child.id);
  await park(working, flow, child.id, state.n);
  const now = await working.jobs.get(child.id);
  if (now && hasEnded(now)) return now;
  throw new StepParked(`The job ${child.id} of a step waits for a slot.`);
}

/** Arguments, and how people see them where a secret of an earlier step stands in them. */
export async function keptArguments({ working, secrets }: Here, owner: Parameters<typeof keep>[1], args: Record<string, unknown>) {
  const shown = maskerOf(secrets)?.value(args);
  const [json, shownJson] = [JSON.stringify(args), shown === undefined ? undefined : JSON.stringify(shown)];
  return {
    args: await keep(working, owner, "args", json),
    ...(shownJson === undefined || shownJson === json ? {} : { argsShown: await keep(working, owner, "args", shownJson) }),
  };
}

/** Given back to the queue, taken over, or begun by an earlier call of this step: its end shows in its record. */
async function endOf({ working }: Here, id: string): Promise<EndedJob> {
  const job = await waitForEnd(working, id, working.nowMs() + limits.stepWaitMs);
  if (!job || !hasEnded(job)) throw new Error(`The job ${id} of a step has not ended in time; the step is looked at again.`);
  return job;
}

export async function doneBy(here: Here, job: EndedJob): Promise<Done> {
  const ok = job.state === "succeeded" || job.state === "skipped";
  const also = { job: job.id };
  if (ok) return { ok, result: keptResult(job), also };
  const { working } = here;
  const { error } = JSON.parse(await load(working, job, job.shown ?? job.result)) as { error?: object };
  return { ok, result: await keepValue(here, { error: { ...error, step_id: here.module.id } }), also };
}

/** A retry gets what the first attempt got, not evaluated again. */
export async function argumentsFor(here: Here, evaluator: Evaluator): Promise<Record<string, unknown>> {
  return (await argumentsBefore(here)) ?? argumentsOf(here, evaluator);
}

async function argumentsOf(here: Here, evaluator: Evaluator): Promise<Record<string, unknown>> {
  const { module, working, flow } = here;
  if (module.id === PREPROCESSOR) {
    const sent = JSON.parse(await load(working, flow, flow.args)) as Record<string, unknown>;
    return { ...sent, event: withBody(sent["event"]), [ENTRYPOINT_ARGUMENT]: PREPROCESSOR };
  }
  const { value } = module;
  const transforms = value.type === "script" || value.type === "rawscript" || value.type === "flow" ? value.input_transforms : undefined;
  const args: Record<string, unknown> = {};
  for (const [name, transform] of Object.entries(transforms ?? {})) args[name] = await evaluator.transform(transform, { params: args });
  return args;
}

/** Of the first attempt, which has none where they could not be evaluated, or nothing was to run. */
async function argumentsBefore(here: Here): Promise<Record<string, unknown> | undefined> {
  if (failuresOf(here) === 0) return undefined;
  const { working } = here;
  const first = await working.jobs.get(attemptId(here, 0));
  if (!first) return undefined;
  const kept = { of: first.id, place: first.args, ...(first.argsShown ? { shown: first.argsShown } : {}) };
  return (await keptValue(here, kept)) as Record<string, unknown>;
}

/** Whether all whose rights a step has may do something with what is at a path. */
export async function readersMay({ working, flow }: Here, action: string): Promise<(path: string) => boolean> {
  const readers = await readersOf(working, flow);
  return (path) => readers.every((reader) => reader !== undefined && may(reader, action, { workspace: flow.workspace, path }));
}

export type NamedScript = Extract<FlowModule["value"], { type: "script" }>;

/** The script that a step names, the newest version unless it says which. Whether it may run is not asked here. */
export async function scriptOf({ working, flow }: Here, { path, hash }: NamedScript): Promise<Runnable | undefined> {
  const runnable = runnableOf(await working.objects.get(hash ? keys.version(flow.workspace, hash) : keys.scriptHead(flow.workspace, path)));
  return !runnable || runnable.deleted || (runnable.archived && !hash) ? undefined : runnable;
}

/** What runs. A script is looked up now, with the rights of the flow's job, unless the caller has done so. */
export async function whatOf(here: Here, evaluator: Evaluator, script?: Runnable): Promise<What | { missing: string }> {
  const { working, flow, module } = here;
  const { value } = module;
  const own = module.timeout ?? undefined;
  const seconds = typeof own === "number" ? own : own ? Number(await evaluator.transform(own)) : 0;
  const leftS = flowLeftS(flow, working.nowMs());
  const limitS = (usual: number) => Math.min(seconds > 0 ? Math.min(Math.ceil(seconds), limits.maxTimeoutS) : usual, leftS);
  if (value.type === "rawscript") {
    const { language, path, tag } = value;
    const named = path ?? (flow.path === undefined ? undefined : `${flow.path}/${module.id}`);
    return {
      kind: "flowscript",
      ...(named ? { path: named } : {}),
      language,
      tag: tag ?? language,
      timeoutS: limitS(limits.defaultTimeoutS),
      ...(value.concurrent_limit
        ? { rule: concurrencyRuleOf({ ...value, concurrency_key: value.custom_concurrency_key }, value.concurrent_limit) }
        : {}),
    };
  }
  if (value.type !== "script") return { missing: `Steps of type ${value.type} are kept, but nothing here can run them.` };
  const { path, hash, tag_override: tag } = value;
  const runnable = script ?? (await lookedUp(here, value));
  if (!runnable) return { missing: hash ? `There is no script version ${hash}.` : `There is no script at ${path}.` };
  const { language, timeoutS, concurrency: rule } = runnable;
  return { kind: "script", path: runnable.path, hash: runnable.hash, language, tag: tag ?? runnable.tag, timeoutS: limitS(timeoutS), rule };
}

/** Script and rights are read side by side. */
async function lookedUp(here: Here, value: NamedScript): Promise<Runnable | undefined> {
  const [mayRun, runnable] = await Promise.all([readersMay(here, "jobs.run.scripts"), scriptOf(here, value)]);
  return runnable && mayRun(runnable.path) ? runnable : undefined;
}

/** A step's earlier result stands for equal arguments: the key is its place, its code and what it gets. */
function cacheOf(
  { module, flow, plan }: Here,
  what: Omit<What, "rule">,
  args: Record<string, unknown>,
): Pick<RunningJob, "cacheTtlS" | "cacheKey" | "hash"> {
  const { cache_ttl: cacheTtlS } = module;
  if (!cacheTtlS) return {};
  const code = JSON.stringify([flow.path, module.id, what.hash, plan.scripts[module.id]?.key]);
  const hash = what.hash ?? createHash("sha256").update(code).digest("hex").slice(0, 16);
  const known = hasReferences(args) || namesFiles(args) ? {} : { cacheKey: cacheKey({ ...flow, hash }, { args: [module.id, args] }) };
  return { cacheTtlS, hash, ...known };
}
