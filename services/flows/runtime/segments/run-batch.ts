import type { Child } from "../../../../aws/dynamodb/job-table.ts";
import type { FlowModule } from "../../../../contract/flow-value.ts";
import { limits } from "../../../../contract/limits.ts";
import { type Outcome, outcomeRef } from "../../../../core/flows/journal.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import type { EndedJob, RunningJob, ValueLocation } from "../../../../core/jobs/job.ts";
import { firstDueMs } from "../../../../core/jobs/lifecycle.ts";
import type { Masker } from "../../../../core/secrets/mask.ts";
import { nextArguments } from "../../../../runners/protocol.ts";
import type { Together } from "../../../execution/invoke-runner.ts";
import { runJob } from "../../../execution/run-job.ts";
import { keepEnded, type Ran } from "../../../jobs/lifecycle/record-ended-runs.ts";
import { jobPrefix, stageValue, storeValue } from "../../../jobs/values/values.ts";
import { maskerFor } from "../../../secrets/masks.ts";
import { completeStep } from "../complete-step.ts";
import { evaluator } from "../expressions/evaluator.ts";
import { doneBy, noteErasureOf } from "../modules/script.ts";
import { goTo, readItems, resultRefOf, type StepContext } from "../step-context.ts";
import { type Candidate, expressionsOf, type Member, membersOf, quickOnes } from "./batch-members.ts";

/** None begins later in a call of a runner: so much is repeated at most when something dies. */
const WITHIN_MS = 200;

/**
 * Runs the first of some neighbours, and those after it that can follow at once, in one call of a runner. `undefined`: it is to be run alone. They
 * are written down together when the call has ended; where one failed, its job alone, and whoever asks for it finds that. `ran` gets the modules
 * that are done.
 */
export async function runBatch(step: StepContext, modules: readonly FlowModule[], ran: Set<string>): Promise<StepState | undefined> {
  const candidates = await quickOnes(step, modules);
  if (candidates.length < 2 || (await anyKnown(step, candidates))) return undefined;
  const names = evaluator(
    step,
    candidates.flatMap(({ module }) => expressionsOf(module)),
  );
  const members = await membersOf(step, candidates, names);
  const [first] = members;
  if (!first || members.length < 2 || step.secrets.size > 0) return undefined;
  const own = nextArguments(first.args, []) ?? {};
  const argsJson = JSON.stringify(own);
  await Promise.all(members.map((member) => noteErasureOf(member.here, member.job.id)));
  const leader: RunningJob = { ...first.job, args: await storeValue(step.working, first.job, "args", argsJson) };
  if (!(await step.working.jobs.create(leader, firstDueMs(step.working.nowMs())))) return undefined;
  const ended = await runJob(step.working, leader, { argsJson, together: togetherOf(step, leader, members, ran) });
  if (ran.has(first.here.module.id)) return goTo(step, "next");
  return ended && completeStep(step, names, await doneBy(step, ended));
}

async function anyKnown(step: StepContext, candidates: readonly Candidate[]): Promise<boolean> {
  const { scope, at } = step;
  const refs = candidates.map(({ module: { id } }) => outcomeRef(id, scope.name, at));
  return (await readItems(step, refs)).size > 0;
}

function togetherOf(step: StepContext, leader: RunningJob, members: Member[], ran: Set<string>): Together {
  const { working, flow } = step;
  const rest = members.slice(1);
  const resultKey = `${jobPrefix(flow)}batch#${leader.id}.json`;
  return {
    host: flow.id,
    withinMs: WITHIN_MS,
    resultKey,
    runs: rest.map(({ code: { artefact, params, paramTypes }, job, args }) => ({ job, artefact, params, paramTypes, args })),
    async keep(outcomes, ended, token) {
      const masker = await maskerFor(working, ended, token);
      const results: unknown[] = [JSON.parse(ended.resultJson ?? "null")];
      const written: Ran[] = [];
      let { createdAtMs } = leader;
      for (const [index, outcome] of outcomes.entries()) {
        const member = rest[index];
        if (!member) break;
        const args = nextArguments(member.args, results) ?? {};
        // Lists show them in their order, however quick they are.
        createdAtMs = Math.max(outcome.startedAtMs, createdAtMs + 1);
        written.push(await ranOf(step, member, { createdAtMs, args, outcome, masker, resultKey }));
        results.push(outcome.result);
      }
      const jobs = await keepEnded(working, written, masker);
      for (const id of await noteOutcomes(step, members, [ended, ...jobs])) ran.add(id);
    },
  };
}

interface Made {
  createdAtMs: number;
  args: object;
  masker: Masker | undefined;
}

async function ranOf(
  step: StepContext,
  { job }: Member,
  { createdAtMs, args, outcome, masker, resultKey }: Pick<Ran, "outcome" | "resultKey"> & Made,
): Promise<Ran> {
  const children: Child[] = [];
  const json = JSON.stringify(args);
  const shown = masker && JSON.stringify(masker.value(args));
  const place = await placed(step, job, json, children);
  const argsShown = shown === undefined || shown === json ? {} : { argsShown: await placed(step, job, shown, children) };
  return { job: { ...job, createdAtMs, args: place, ...argsShown }, outcome, resultKey, children };
}

async function placed({ working }: StepContext, job: Omit<RunningJob, "args">, json: string, children: Child[]): Promise<ValueLocation> {
  return Buffer.byteLength(json) <= limits.inlineBytes ? { in: "head", json } : stageValue(working, job, "args", json, children);
}

/** In the journal, those that went well: answers their modules. */
async function noteOutcomes(
  { working, flow, scope, at }: StepContext,
  members: readonly Member[],
  jobs: readonly EndedJob[],
): Promise<string[]> {
  const expiresAtS = Math.ceil(flow.expiresAtMs / 1000);
  const well = jobs.flatMap((job, index) => {
    const id = members[index]?.here.module.id;
    return id === undefined || job.state !== "succeeded" ? [] : [{ id, job }];
  });
  const items = well.map(({ id, job }) => {
    const outcome: Outcome = { state: "success", goes: "next", result: resultRefOf(job), job: job.id };
    return { parent: flow.id, ref: outcomeRef(id, scope.name, at), json: JSON.stringify(outcome), expiresAtS };
  });
  await working.jobs.putWith(items, []);
  return well.map(({ id }) => id);
}
