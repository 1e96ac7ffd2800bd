import { createHash } from "node:crypto";
import type { AccessRule } from "../../../../contract/access-rule.ts";
import { actions } from "../../../../contract/actions.ts";
import type { FlowModule } from "../../../../contract/flow-value.ts";
import { limits } from "../../../../contract/limits.ts";
import { PREPROCESSOR } from "../../../../core/flows/journal.ts";
import { sharedFolderOf } from "../../../../core/flows/segments.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
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
import { runJob } from "../../../execution/run-job.ts";
import { attemptFields } from "../../../jobs/lifecycle/claim.ts";
import { waitFor, waitForEnd } from "../../../jobs/read/wait.ts";
import { loadValue, storeValue } from "../../../jobs/values/values.ts";
import { readersOf } from "../../../resources/readers.ts";
import { runnableOf } from "../../../scripts/load.ts";
import { noteErasure } from "../../lifecycle/erase.ts";
import { completeStep } from "../complete-step.ts";
import type { Evaluator } from "../expressions/evaluator.ts";
import { parkJob } from "../parked-jobs.ts";
import { attemptId, failuresOf, loadFlowValue, resultRefOf, type StepContext, storeFlowValue } from "../step-context.ts";
import { failureResult, type StepResult } from "../step-result.ts";

/** What a step's job is made of, besides its flow's identity. */
type What = Pick<RunningJob, "kind" | "path" | "hash" | "language" | "tag" | "timeoutS"> & { rule?: ConcurrencyRule | undefined };

/** Of a step that waits for a slot: its execution may end, another one goes on. */
class StepParked extends Error {
  override readonly name = "StepParked";
}

/** Runs a script step as a job of its own, whose id is made of its place: whoever comes again finds the same job. */
export async function runStep(step: StepContext, expressions: Evaluator): Promise<StepState> {
  const done = await attempted(step, expressions);
  if (done.ok && step.module.id === PREPROCESSOR) await takeInput(step, done);
  return completeStep(step, expressions, done);
}

/** What a step's job has of its flow's. */
export function ofFlow({ flow, plan, module, scope, at, working }: StepContext) {
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
export function erasedAfterS({ module, scope }: Pick<StepContext, "module" | "scope">): number | undefined {
  let afterS = module.delete_after_secs;
  for (let around = scope.of; around && typeof afterS !== "number"; around = around.scope.of) afterS = around.module.delete_after_secs;
  return afterS ?? undefined;
}

/** Notes when what a step's job leaves is to be erased. `own`: as what it runs says. */
export async function noteErasureOf(
  step: Pick<StepContext, "working" | "flow" | "module" | "scope">,
  id: string,
  own?: number,
): Promise<void> {
  const { working, flow } = step;
  const afterS = erasedAfterS(step) ?? own;
  if (afterS !== undefined && flow.erasesSteps === undefined) {
    await working.jobs.change(flow.id, { erasesSteps: "some" }, { attr: "erasesSteps", exists: false });
  }
  if (afterS !== undefined || flow.erasesSteps === "all") await noteErasure(working, flow, id, afterS);
}

/** What the preprocessor made of the event takes the place of the flow's input. */
async function takeInput({ working, flow }: StepContext, { result }: StepResult): Promise<void> {
  const made = JSON.parse(await loadValue(working, { id: result.of }, result.place)) as unknown;
  const isObject = typeof made === "object" && made !== null && !Array.isArray(made);
  const args = await storeValue(working, flow, "args", JSON.stringify(isObject ? made : { value: made }));
  await working.jobs.change(flow.id, { args, preprocess: "done" }, { attr: "preprocess", eq: "wanted" });
}

async function attempted(step: StepContext, expressions: Evaluator): Promise<StepResult> {
  const { working } = step;
  const id = attemptId(step);
  const [args, what] = await Promise.all([argumentsFor(step, expressions), runnableFor(step, expressions)]);
  if ("missing" in what) return failureResult(step, { name: "NotFound", message: what.missing });
  const argsJson = JSON.stringify(args);
  if (Buffer.byteLength(argsJson) > limits.resolvedBytes) {
    const message = `The arguments of the step ${step.module.id} are larger than ${limits.resolvedBytes / 1024 / 1024} MB.`;
    return failureResult(step, { name: "ArgumentsTooLarge", message });
  }
  const { rule, ...version } = what;
  const owner = ownerOf(step, id);
  const child = { ...stepJob(step, owner, version), ...(await keptArguments(step, owner, args)), ...cacheOf(step, version, args) };
  await noteErasureOf(step, id);
  if (rule) {
    const group = concurrencyOf(rule, owner.workspace, what.path ?? `${child.parent}/${step.module.id}`, args);
    return doneBy(step, await limited(step, child, group));
  }
  const isNew = await working.jobs.create(child, firstDueMs(working.nowMs()));
  const ended = isNew ? await runJob(working, child, { argsJson }) : undefined;
  return doneBy(step, ended ?? (await endOf(step, id)));
}

export const ownerOf = ({ flow }: StepContext, id: string) => ({ id, workspace: flow.workspace, expiresAtMs: flow.expiresAtMs });

/** A step's job as it begins, but for its arguments. */
export function stepJob(step: StepContext, owner: ReturnType<typeof ownerOf>, what: Omit<What, "rule">): Omit<RunningJob, "args"> {
  const now = step.working.nowMs();
  return {
    ...ofFlow(step),
    ...owner,
    ...what,
    // What came from outside stays as it came: references in it stand for nothing.
    ...(step.module.id === PREPROCESSOR ? { preprocess: "done" as const } : {}),
    ...attemptFields(now, step.working.worker),
    createdAtMs: now,
    attempt: 1,
    losses: 0,
    logChars: 0,
  };
}

/** A step that may have to wait for a slot runs as every limited job does: by the queue, which claims it together with its slot. */
async function limited(step: StepContext, child: RunningJob, concurrency: Concurrency): Promise<EndedJob> {
  const { working, flow, state } = step;
  const { nonce: _, leaseUntilMs: __, startedAtMs: ___, worker: ____, ...rest } = child;
  const queued: QueuedJob = { ...rest, state: "queued", attempt: 0, concurrency };
  if (await working.jobs.create(queued, firstDueMs(queued.createdAtMs))) await working.queue.send(queued);
  const isWaiting = (job: Job) => job.state === "queued";
  const began = await waitFor(working, child.id, working.nowMs() + limits.slotWaitMs, (job) => !isWaiting(job));
  if (began) return endOf(step, child.id);
  await parkJob(working, flow, child.id, state.n);
  const now = await working.jobs.get(child.id);
  if (now && hasEnded(now)) return now;
  throw new StepParked(`The job ${child.id} of a step is waiting for a concurrency slot.`);
}

/** Arguments, and how people see them where a secret of an earlier step stands in them. */
export async function keptArguments(
  { working, secrets }: StepContext,
  owner: Parameters<typeof storeValue>[1],
  args: Record<string, unknown>,
) {
  const shown = maskerOf(secrets)?.value(args);
  const [json, shownJson] = [JSON.stringify(args), shown === undefined ? undefined : JSON.stringify(shown)];
  return {
    args: await storeValue(working, owner, "args", json),
    ...(shownJson === undefined || shownJson === json ? {} : { argsShown: await storeValue(working, owner, "args", shownJson) }),
  };
}

/** Given back to the queue, taken over, or begun by an earlier call of this step: its end shows in its record. */
async function endOf({ working }: StepContext, id: string): Promise<EndedJob> {
  const job = await waitForEnd(working, id, working.nowMs() + limits.stepWaitMs);
  if (!job || !hasEnded(job)) throw new Error(`The job ${id} of a step has not ended in time. The step is checked again.`);
  return job;
}

export async function doneBy(step: StepContext, job: EndedJob): Promise<StepResult> {
  const ok = job.state === "succeeded" || job.state === "skipped";
  const also = { job: job.id };
  if (ok) return { ok, result: resultRefOf(job), also };
  const { working } = step;
  const { error } = JSON.parse(await loadValue(working, job, job.shown ?? job.result)) as { error?: object };
  return { ok, result: await storeFlowValue(step, { error: { ...error, step_id: step.module.id } }), also };
}

/** A retry gets what the first attempt got, not evaluated again. */
export async function argumentsFor(step: StepContext, expressions: Evaluator): Promise<Record<string, unknown>> {
  return (await argumentsBefore(step)) ?? argumentsOf(step, expressions);
}

async function argumentsOf(step: StepContext, expressions: Evaluator): Promise<Record<string, unknown>> {
  const { module, working, flow } = step;
  if (module.id === PREPROCESSOR) {
    const sent = JSON.parse(await loadValue(working, flow, flow.args)) as Record<string, unknown>;
    return { ...sent, event: withBody(sent["event"]), [ENTRYPOINT_ARGUMENT]: PREPROCESSOR };
  }
  const { value } = module;
  const transforms = value.type === "script" || value.type === "rawscript" || value.type === "flow" ? value.input_transforms : undefined;
  const args: Record<string, unknown> = {};
  for (const [name, transform] of Object.entries(transforms ?? {})) args[name] = await expressions.transform(transform, { params: args });
  return args;
}

/** Of the first attempt, which has none where they could not be evaluated, or nothing was to run. */
async function argumentsBefore(step: StepContext): Promise<Record<string, unknown> | undefined> {
  if (failuresOf(step) === 0) return undefined;
  const { working } = step;
  const first = await working.jobs.get(attemptId(step, 0));
  if (!first) return undefined;
  const kept = { of: first.id, place: first.args, ...(first.argsShown ? { shown: first.argsShown } : {}) };
  return (await loadFlowValue(step, kept)) as Record<string, unknown>;
}

/** Whether all whose rights a step has may do something with what is at a path. */
export async function readersMay({ working, flow }: StepContext, access: AccessRule): Promise<(path: string) => boolean> {
  const readers = await readersOf(working, flow);
  return (path) => readers.every((reader) => reader !== undefined && may(reader, access, { workspace: flow.workspace, path }));
}

export type NamedScript = Extract<FlowModule["value"], { type: "script" }>;

/** The script that a step names, the newest version unless it says which. Whether it may run is not asked here. */
export async function scriptOf({ working, flow }: StepContext, { path, hash }: NamedScript): Promise<Runnable | undefined> {
  const runnable = runnableOf(await working.objects.get(hash ? keys.version(flow.workspace, hash) : keys.scriptHead(flow.workspace, path)));
  return !runnable || runnable.deleted || (runnable.archived && !hash) ? undefined : runnable;
}

/** What runs. A script is looked up now, with the rights of the flow's job, unless the caller has done so. */
export async function runnableFor(step: StepContext, expressions: Evaluator, script?: Runnable): Promise<What | { missing: string }> {
  const { working, flow, module } = step;
  const { value } = module;
  const own = module.timeout ?? undefined;
  const seconds = typeof own === "number" ? own : own ? Number(await expressions.transform(own)) : 0;
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
  if (value.type !== "script") return { missing: `Steps of type ${value.type} can be stored, but this service cannot run them.` };
  const { path, hash, tag_override: tag } = value;
  const runnable = script ?? (await lookedUp(step, value));
  if (!runnable) return { missing: hash ? `There is no script version ${hash}.` : `There is no script at ${path}.` };
  const { language, timeoutS, concurrency: rule } = runnable;
  return { kind: "script", path: runnable.path, hash: runnable.hash, language, tag: tag ?? runnable.tag, timeoutS: limitS(timeoutS), rule };
}

/** Script and rights are read side by side. */
async function lookedUp(step: StepContext, value: NamedScript): Promise<Runnable | undefined> {
  const [mayRun, runnable] = await Promise.all([readersMay(step, actions.runScript.access), scriptOf(step, value)]);
  return runnable && mayRun(runnable.path) ? runnable : undefined;
}

/** A step's earlier result stands for equal arguments: the key is its place, its code and what it gets. */
function cacheOf(
  { module, flow, plan }: StepContext,
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
