import type { Child } from "../../../../aws/dynamodb/job-table.ts";
import type { FlowModule } from "../../../../contract/flow-value.ts";
import { limits } from "../../../../contract/limits.ts";
import { type Outcome, outcomeRef } from "../../../../core/flows/journal.ts";
import type { FlowState } from "../../../../core/flows/step-call.ts";
import type { EndedJob, Place, RunningJob } from "../../../../core/jobs/job.ts";
import { firstDueMs } from "../../../../core/jobs/lifecycle.ts";
import type { Masker } from "../../../../core/secrets/mask.ts";
import { nextArguments } from "../../../../runners/protocol.ts";
import type { Together } from "../../../execution/invoke-runner.ts";
import { workOn } from "../../../execution/run-job.ts";
import { keepEnded, type Ran } from "../../../jobs/lifecycle/record-ended-runs.ts";
import { jobPrefix, keep, keepAmong } from "../../../jobs/values/values.ts";
import { maskerFor } from "../../../secrets/masks.ts";
import { decide } from "../complete-step.ts";
import { evaluator } from "../expressions/evaluator.ts";
import { doneBy, noteErasureOf } from "../modules/script.ts";
import { goTo, type Here, keptResult, readItems } from "../step-context.ts";
import { type Candidate, expressionsOf, type Member, membersOf, quickOnes } from "./batch-members.ts";

/** None begins later in a call of a runner: so much is repeated at most when something dies. */
const WITHIN_MS = 200;

/**
 * Runs the first of some neighbours, and those after it that can follow at once, in one call of a runner. `undefined`: it is to be run alone. They
 * are written down together when the call has ended; where one failed, its job alone, and whoever asks for it finds that. `ran` gets the modules
 * that are done.
 */
export async function runBatch(here: Here, modules: readonly FlowModule[], ran: Set<string>): Promise<FlowState | undefined> {
  const candidates = await quickOnes(here, modules);
  if (candidates.length < 2 || (await anyKnown(here, candidates))) return undefined;
  const names = evaluator(
    here,
    candidates.flatMap(({ module }) => expressionsOf(module)),
  );
  const members = await membersOf(here, candidates, names);
  const [first] = members;
  if (!first || members.length < 2 || here.secrets.size > 0) return undefined;
  const own = nextArguments(first.args, []) ?? {};
  const argsJson = JSON.stringify(own);
  await Promise.all(members.map((member) => noteErasureOf(member.here, member.job.id)));
  const leader: RunningJob = { ...first.job, args: await keep(here.working, first.job, "args", argsJson) };
  if (!(await here.working.jobs.create(leader, firstDueMs(here.working.nowMs())))) return undefined;
  const ended = await workOn(here.working, leader, argsJson, togetherOf(here, leader, members, ran));
  if (ran.has(first.here.module.id)) return goTo(here, "next");
  return ended && decide(here, names, await doneBy(here, ended));
}

async function anyKnown(here: Here, candidates: readonly Candidate[]): Promise<boolean> {
  const { scope, at } = here;
  const refs = candidates.map(({ module: { id } }) => outcomeRef(id, scope.name, at));
  return (await readItems(here, refs)).size > 0;
}

function togetherOf(here: Here, leader: RunningJob, members: Member[], ran: Set<string>): Together {
  const { working, flow } = here;
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
        written.push(await ranOf(here, member, { createdAtMs, args, outcome, masker, resultKey }));
        results.push(outcome.result);
      }
      const jobs = await keepEnded(working, written, masker);
      for (const id of await noteOutcomes(here, members, [ended, ...jobs])) ran.add(id);
    },
  };
}

interface Made {
  createdAtMs: number;
  args: object;
  masker: Masker | undefined;
}

async function ranOf(
  here: Here,
  { job }: Member,
  { createdAtMs, args, outcome, masker, resultKey }: Pick<Ran, "outcome" | "resultKey"> & Made,
): Promise<Ran> {
  const children: Child[] = [];
  const json = JSON.stringify(args);
  const shown = masker && JSON.stringify(masker.value(args));
  const place = await placed(here, job, json, children);
  const argsShown = shown === undefined || shown === json ? {} : { argsShown: await placed(here, job, shown, children) };
  return { job: { ...job, createdAtMs, args: place, ...argsShown }, outcome, resultKey, children };
}

async function placed({ working }: Here, job: Omit<RunningJob, "args">, json: string, children: Child[]): Promise<Place> {
  return Buffer.byteLength(json) <= limits.inlineBytes ? { in: "head", json } : keepAmong(working, job, "args", json, children);
}

/** In the journal, those that went well: answers their modules. */
async function noteOutcomes({ working, flow, scope, at }: Here, members: readonly Member[], jobs: readonly EndedJob[]): Promise<string[]> {
  const expiresAtS = Math.ceil(flow.expiresAtMs / 1000);
  const well = jobs.flatMap((job, index) => {
    const id = members[index]?.here.module.id;
    return id === undefined || job.state !== "succeeded" ? [] : [{ id, job }];
  });
  const items = well.map(({ id, job }) => {
    const outcome: Outcome = { state: "success", goes: "next", result: keptResult(job), job: job.id };
    return { parent: flow.id, ref: outcomeRef(id, scope.name, at), json: JSON.stringify(outcome), expiresAtS };
  });
  await working.jobs.putWith(items, []);
  return well.map(({ id }) => id);
}
