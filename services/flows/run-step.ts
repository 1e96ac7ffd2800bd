import { createHash } from "node:crypto";
import { v5 as uuidv5 } from "uuid";
import { limits } from "../../contract/limits.ts";
import { jobName } from "../../core/flows/journal.ts";
import type { FlowState } from "../../core/flows/step-call.ts";
import { cacheKey, namesFiles } from "../../core/jobs/cache.ts";
import { type EndedJob, hasEnded, type RunningJob } from "../../core/jobs/job.ts";
import { firstDueMs } from "../../core/jobs/lifecycle.ts";
import { keys } from "../../core/objects/keys.ts";
import { may } from "../../core/permissions/may.ts";
import { hasReferences } from "../../core/resources/references.ts";
import { attemptFields } from "../jobs/claim.ts";
import { keep, load } from "../jobs/places.ts";
import { waitForEnd } from "../jobs/wait.ts";
import { readersOf, workOn } from "../jobs/work.ts";
import { runnableOf } from "../scripts/load.ts";
import { type Done, decide, failed } from "./decide.ts";
import { type Evaluator, ExpressionError } from "./expressions.ts";
import { type Here, keepValue, keptResult } from "./here.ts";

/** What a step's job is made of, besides its flow's identity. */
type What = Pick<RunningJob, "kind" | "path" | "hash" | "language" | "tag" | "timeoutS">;

/** Runs a script step as a job of its own, whose id is made of its place: whoever comes again finds the same job. */
export async function runStep(here: Here, evaluator: Evaluator): Promise<FlowState> {
  const attempt = here.progress.failed?.length ?? 0;
  const waitS = Math.ceil(((here.progress.retryAtMs ?? 0) - here.working.nowMs()) / 1000);
  if (waitS > 0) return { ...here.state, at: here.at, o: "retry", s: waitS };
  try {
    return await decide(here, evaluator, await attempted(here, evaluator, attempt));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return decide(here, evaluator, await failed(here, error));
  }
}

const idOf = ({ flow, module, scope, at }: Here, attempt: number) => uuidv5(jobName(module.id, scope.name, at, attempt), flow.id);

async function attempted(here: Here, evaluator: Evaluator, attempt: number): Promise<Done> {
  const { working, flow } = here;
  const id = idOf(here, attempt);
  const args = attempt === 0 ? await argumentsOf(here, evaluator) : await argumentsBefore(here);
  const what = await whatOf(here, evaluator);
  if ("missing" in what) return failed(here, { name: "NotFound", message: what.missing });
  const argsJson = JSON.stringify(args);
  const now = working.nowMs();
  const owner = { id, workspace: flow.workspace, expiresAtMs: flow.expiresAtMs };
  const child: RunningJob = {
    ...owner,
    ...what,
    ...attemptFields(now, working.worker),
    createdBy: flow.createdBy,
    email: flow.email,
    ...(flow.starter === undefined ? {} : { starter: flow.starter }),
    permissionedAs: flow.permissionedAs,
    superAdmin: flow.superAdmin,
    createdAtMs: now,
    parent: flow.id,
    root: flow.root ?? flow.id,
    step: { id: here.module.id, scope: here.scope.name, at: here.at },
    trigger: flow.trigger,
    ...(flow.priority ? { priority: flow.priority } : {}),
    args: await keep(working, owner, "args", argsJson),
    ...cacheOf(here, what, args),
    attempt: 1,
    losses: 0,
    logChars: 0,
  };
  const isNew = await working.jobs.create(child, firstDueMs(now));
  const ended = isNew ? await workOn(working, child, argsJson) : undefined;
  return doneBy(here, ended ?? (await endOf(here, id)));
}

/** Given back to the queue, taken over, or begun by an earlier call of this step: its end shows in its record. */
async function endOf({ working }: Here, id: string): Promise<EndedJob> {
  const job = await waitForEnd(working, id, working.nowMs() + limits.stepWaitMs);
  if (!job || !hasEnded(job)) throw new Error(`The job ${id} of a step has not ended in time; the step is looked at again.`);
  return job;
}

async function doneBy(here: Here, job: EndedJob): Promise<Done> {
  const ok = job.state === "succeeded" || job.state === "skipped";
  const also = { job: job.id };
  if (ok) return { ok, result: keptResult(job), also };
  const { working } = here;
  const { error } = JSON.parse(await load(working, job, job.shown ?? job.result)) as { error?: object };
  return { ok, result: await keepValue(here, { error: { ...error, step_id: here.module.id } }), also };
}

async function argumentsOf({ module }: Here, evaluator: Evaluator): Promise<Record<string, unknown>> {
  const { value } = module;
  const transforms = value.type === "script" || value.type === "rawscript" || value.type === "flow" ? value.input_transforms : undefined;
  const args: Record<string, unknown> = {};
  for (const [name, transform] of Object.entries(transforms ?? {})) args[name] = await evaluator.transform(transform, { params: args });
  return args;
}

/** A retry gets what the first attempt got, not evaluated again. */
async function argumentsBefore(here: Here): Promise<Record<string, unknown>> {
  const { working } = here;
  const first = await working.jobs.get(idOf(here, 0));
  if (!first) throw new Error(`The first attempt of step ${here.module.id} is gone.`);
  return JSON.parse(await load(working, first, first.args)) as Record<string, unknown>;
}

/** What runs. A script's newest version is looked up now, with the rights of the flow's job. */
async function whatOf(here: Here, evaluator: Evaluator): Promise<What | { missing: string }> {
  const { working, flow, module } = here;
  const { value } = module;
  const own = module.timeout ?? undefined;
  const seconds = typeof own === "number" ? own : own ? Number(await evaluator.transform(own)) : 0;
  const limitS = (usual: number) => (seconds > 0 ? Math.min(Math.ceil(seconds), limits.maxTimeoutS) : usual);
  if (value.type === "rawscript") {
    const { language, path, tag } = value;
    const named = path ?? (flow.path === undefined ? undefined : `${flow.path}/${module.id}`);
    return {
      kind: "flowscript",
      ...(named ? { path: named } : {}),
      language,
      tag: tag ?? language,
      timeoutS: limitS(limits.defaultTimeoutS),
    };
  }
  if (value.type !== "script") return { missing: `Steps of type ${value.type} are kept, but nothing here can run them.` };
  const { path, hash, tag_override: tag } = value;
  const [readers, head] = await Promise.all([
    readersOf(working, flow),
    working.objects.get(hash ? keys.version(flow.workspace, hash) : keys.scriptHead(flow.workspace, path)),
  ]);
  const runnable = runnableOf(head);
  const target = { workspace: flow.workspace, path: runnable?.path ?? path };
  const mayRun = readers.every((reader) => reader !== undefined && may(reader, "jobs.run.scripts", target));
  if (!runnable || runnable.deleted || (runnable.archived && !hash) || !mayRun) {
    return { missing: hash ? `There is no script version ${hash}.` : `There is no script at ${path}.` };
  }
  const { language, timeoutS } = runnable;
  return { kind: "script", path: runnable.path, hash: runnable.hash, language, tag: tag ?? runnable.tag, timeoutS: limitS(timeoutS) };
}

/** A step's earlier result stands for equal arguments: the key is its place, its code and what it gets. */
function cacheOf(
  { module, flow, plan }: Here,
  what: What,
  args: Record<string, unknown>,
): Pick<RunningJob, "cacheTtlS" | "cacheKey" | "hash"> {
  const { cache_ttl: cacheTtlS } = module;
  if (!cacheTtlS) return {};
  const code = JSON.stringify([flow.path, module.id, what.hash, plan.scripts[module.id]?.key]);
  const hash = what.hash ?? createHash("sha256").update(code).digest("hex").slice(0, 16);
  const known = hasReferences(args) || namesFiles(args) ? {} : { cacheKey: cacheKey({ ...flow, hash }, { args: [module.id, args] }) };
  return { cacheTtlS, hash, ...known };
}
