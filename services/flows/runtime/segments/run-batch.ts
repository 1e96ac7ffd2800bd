import type { Child } from "../../../../aws/dynamodb/job-items.ts";
import { defined } from "../../../../contract/defined.ts";
import type { FlowModule } from "../../../../contract/flows/flow-value.ts";
import { parseExactJson } from "../../../../contract/json/exact-json.ts";
import { limits } from "../../../../contract/limits.ts";
import { outcomeFormat, outcomeRef } from "../../../../core/flows/journal.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { buildArgsPreview } from "../../../../core/jobs/record/head-size.ts";
import type { EndedJob, RunningJob } from "../../../../core/jobs/record/job.ts";
import { firstDueMs } from "../../../../core/jobs/record/lifecycle.ts";
import { objectPrefix } from "../../../../core/jobs/record/retention.ts";
import type { ValueLocation } from "../../../../core/jobs/record/value-ref.ts";
import type { Masker } from "../../../../core/secrets/mask.ts";
import { nextArguments } from "../../../../runners/protocol.ts";
import type { RunnerBatch } from "../../../execution/invoke-runner.ts";
import { runJob } from "../../../execution/run-job.ts";
import { type EndedRun, recordEndedRuns } from "../../../jobs/lifecycle/record-ended-runs.ts";
import { stageValue, storeValue } from "../../../jobs/values/values.ts";
import { loadMasker } from "../../../secrets/masks.ts";
import type { Uses } from "../../../uses.ts";
import { completeStep } from "../complete-step.ts";
import type { ExecuteModuleDeps } from "../execute-module.ts";
import { createEvaluator } from "../expressions/evaluator.ts";
import { getResultRef } from "../flow-values.ts";
import { readJournal } from "../journal.ts";
import { resultOfJob } from "../modules/script.ts";
import type { StepContext } from "../step-context.ts";
import { noteStepErasure } from "../step-jobs/erasure.ts";
import { transitionTo } from "../transitions.ts";
import { type BatchMember, type Candidate, findCandidates, prepareMembers, transformExpressions } from "./batch-members.ts";

/** No run of a batch begins later than this in its call of a runner. If the runner dies, at most this time is repeated. */
const BEGIN_WITHIN_MS = 200;

/**
 * Runs the first of some adjacent modules, and as many as can follow immediately, in one call of a runner. All are recorded together when the
 * call has ended; a failed run is recorded only as a job, which the module's own call then finds. Adds the completed modules to `completed`.
 * `undefined`: the first module must run alone.
 */
export async function runBatch(
  deps: ExecuteModuleDeps,
  step: StepContext,
  modules: readonly FlowModule[],
  completed: Set<string>,
): Promise<StepState | undefined> {
  const candidates = await findCandidates(deps, step, modules);
  if (candidates.length < 2 || (await hasOutcome(deps, step, candidates))) return undefined;
  const expressions = createEvaluator(deps, step, {
    beforeRun: [],
    others: candidates.flatMap(({ module }) => transformExpressions(module)),
  });
  const withExpressions = { ...deps, expressions };
  const members = await prepareMembers(withExpressions, step, candidates);
  const [first] = members;
  if (!first || members.length < 2 || step.secrets.size > 0) return undefined;
  const firstArgs = nextArguments(first.args, []) ?? {};
  const argsJson = JSON.stringify(firstArgs);
  await Promise.all(members.map((member) => noteStepErasure(deps, member.step, member.job.id)));
  const leaderArgs = await storeValue(deps, first.job, "args", argsJson);
  const leader: RunningJob = {
    ...first.job,
    args: leaderArgs,
    ...buildArgsPreview(first.job, leaderArgs, firstArgs),
  };
  if (!(await deps.jobs.create(leader, firstDueMs(deps.nowMs())))) return undefined;
  const ended = await runJob(deps, leader, { argsJson, together: runsAfter(deps, step, { leader, members, completed }) });
  if (completed.has(first.step.module.id)) return transitionTo(step, "next");
  return ended && completeStep(withExpressions, step, await resultOfJob(withExpressions, step, ended));
}

async function hasOutcome(deps: Uses<"jobs">, { flow, scope, path }: StepContext, candidates: readonly Candidate[]): Promise<boolean> {
  const refs = candidates.map(({ module: { id } }) => outcomeRef(id, scope.name, path));
  return (await readJournal(deps, flow, refs)).size > 0;
}

interface Batch {
  leader: RunningJob;
  members: BatchMember[];
  completed: Set<string>;
}

/** The runs that follow the first one in the same call, and the function that records them. */
function runsAfter(deps: ExecuteModuleDeps, step: StepContext, { leader, members, completed }: Batch): RunnerBatch {
  const { flow } = step;
  const rest = members.slice(1);
  const resultKey = `${objectPrefix(flow)}batch#${leader.id}.json`;
  return {
    host: flow.id,
    withinMs: BEGIN_WITHIN_MS,
    resultKey,
    runs: rest.map(({ code: { artefact, params, paramTypes }, job, args }) => ({ job, artefact, params, paramTypes, args })),
    async recordOutcomes(outcomes, ended, token) {
      const masker = await loadMasker(deps, ended, token);
      const results: unknown[] = [parseExactJson(ended.resultJson ?? "null")];
      const runs: EndedRun[] = [];
      let { createdAtMs } = leader;
      for (const [index, outcome] of outcomes.entries()) {
        const member = rest[index];
        if (!member) break;
        const args = nextArguments(member.args, results) ?? {};
        // Each later job has a later time, so that lists show the jobs in their order.
        createdAtMs = Math.max(outcome.startedAtMs, createdAtMs + 1);
        runs.push(await endedRun(deps, member, { createdAtMs, args, outcome, masker, resultKey }));
        results.push(outcome.result);
      }
      const jobs = await recordEndedRuns(deps, runs, masker);
      for (const id of await writeOutcomes(deps, step, members, [ended, ...jobs])) completed.add(id);
    },
  };
}

type EndedRunFields = Pick<EndedRun, "outcome" | "resultKey"> & { createdAtMs: number; args: object; masker: Masker | undefined };

async function endedRun(
  deps: Uses<"jobs" | "storage">,
  { job }: BatchMember,
  { createdAtMs, args, outcome, masker, resultKey }: EndedRunFields,
): Promise<EndedRun> {
  const children: Child[] = [];
  const json = JSON.stringify(args);
  const shown = (masker ? masker.value(args) : args) as object;
  const shownJson = masker ? JSON.stringify(shown) : json;
  const location = await stageArguments(deps, job, json, children);
  const redactedArgs = shownJson === json ? undefined : await stageArguments(deps, job, shownJson, children);
  const run = { ...job, createdAtMs, args: location, ...defined({ redactedArgs }) };
  return { job: { ...run, ...buildArgsPreview(run, redactedArgs ?? location, shown) }, outcome, resultKey, children };
}

async function stageArguments(
  deps: Uses<"jobs" | "storage">,
  job: Omit<RunningJob, "args">,
  json: string,
  children: Child[],
): Promise<ValueLocation> {
  return Buffer.byteLength(json) <= limits.inlineBytes ? { in: "head", json } : stageValue(deps, job, { kind: "args", json }, children);
}

/** Writes the outcomes of the members that succeeded, and returns their modules. */
async function writeOutcomes(
  deps: Uses<"jobs">,
  { flow, scope, path }: StepContext,
  members: readonly BatchMember[],
  jobs: readonly EndedJob[],
): Promise<string[]> {
  const expiresAtS = Math.ceil(flow.expiresAtMs / 1000);
  const succeeded = jobs.flatMap((job, index) => {
    const id = members[index]?.step.module.id;
    return id === undefined || job.state !== "succeeded" ? [] : [{ id, job }];
  });
  const items = succeeded.map(({ id, job }) => {
    const json = outcomeFormat.toJson({ state: "success", transition: "next", result: getResultRef(job), job: job.id });
    return { parent: flow.id, ref: outcomeRef(id, scope.name, path), json, expiresAtS };
  });
  await deps.jobs.putWith(items, []);
  return succeeded.map(({ id }) => id);
}
