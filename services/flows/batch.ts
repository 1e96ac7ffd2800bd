import type { Child } from "../../aws/job-table.ts";
import type { FlowModule, InputTransform } from "../../contract/flow-value.ts";
import type { RunnerLanguage } from "../../contract/languages.ts";
import { limits } from "../../contract/limits.ts";
import { plainPath } from "../../core/expressions/evaluate.ts";
import { type Outcome, outcomeRef } from "../../core/flows/journal.ts";
import { wantedBy } from "../../core/flows/names.ts";
import { isPlain } from "../../core/flows/scopes.ts";
import type { FlowState } from "../../core/flows/step-call.ts";
import type { EndedJob, Place, RunningJob } from "../../core/jobs/job.ts";
import { firstDueMs } from "../../core/jobs/lifecycle.ts";
import { hasReferences } from "../../core/resources/references.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import type { Masker } from "../../core/secrets/mask.ts";
import { type NextArgument, type NextRun, nextArguments } from "../../runners/protocol.ts";
import type { Together } from "../jobs/execute.ts";
import { keepEnded, type Ran } from "../jobs/keep-ended.ts";
import { jobPrefix, keep, keepAmong } from "../jobs/places.ts";
import { runTimes } from "../jobs/run-times.ts";
import { workOn } from "../jobs/work.ts";
import { maskerFor } from "../secrets/masks.ts";
import { decide } from "./decide.ts";
import { type Evaluator, ExpressionError, evaluator } from "./expressions.ts";
import { attemptId, goTo, type Here, keptResult, readItems } from "./here.ts";
import { doneBy, erasedAfterS, type NamedScript, noteErasureOf, ownerOf, readersMay, scriptOf, stepJob, whatOf } from "./run-step.ts";

/** Steps that took less than this when they ran last go together. */
const QUICK_MS = 50;
/** None begins later in a call of a runner: so much is repeated at most when something dies. */
const WITHIN_MS = 200;
const MOST = 50;

/** A step on its way into a batch. */
interface Member {
  here: Here;
  code: Code;
  job: Omit<RunningJob, "args">;
  args: NextRun["args"];
}

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

/** What a step runs: built, with nothing of its own that asks for more than a run. */
interface Code {
  runner: RunnerLanguage;
  artefact: { key: string; sha256: string };
  params: string[] | null;
  paramTypes?: Record<string, "date" | "bytes"> | undefined;
  script?: Runnable;
}
interface Candidate {
  module: FlowModule;
  code: Code;
}

/** Neighbours of one language that do nothing but run, and are known to be quick. */
async function quickOnes(here: Here, modules: readonly FlowModule[]): Promise<Candidate[]> {
  if (here.plan.value.early_return || (here.flow.watchedUntilMs ?? 0) > 0) return [];
  const codeOf = codes(here);
  const found: Candidate[] = [];
  for (const module of modules.slice(0, MOST)) {
    const alone = !doesNothingElse(module) || erasedAfterS({ module, scope: here.scope }) !== undefined;
    const code = alone ? undefined : await codeOf(module);
    if (!code || code.runner !== (found[0]?.code.runner ?? code.runner)) break;
    if ((runTimes.of(code.artefact.key) ?? QUICK_MS) >= QUICK_MS) break;
    found.push({ module, code });
  }
  return found;
}

/** Finds the code of steps: each script is looked up once, and the rights to run any. */
function codes(here: Here): (module: FlowModule) => Promise<Code | undefined> {
  const scripts = new Map<string, Promise<Code | undefined>>();
  let rights: ReturnType<typeof readersMay> | undefined;
  const lookUp = async (value: NamedScript): Promise<Code | undefined> => {
    rights ??= readersMay(here, "jobs.run.scripts");
    const [mayRun, script] = await Promise.all([rights, scriptOf(here, value)]);
    if (script?.build.state !== "ready" || !script.runner || !mayRun(script.path)) return undefined;
    const { runner, build, params, paramTypes, concurrency, cacheTtlS, deleteAfterS, dedicated } = script;
    if (concurrency || cacheTtlS || deleteAfterS !== undefined || dedicated) return undefined;
    return { runner, artefact: { key: build.key, sha256: build.sha256 }, params, paramTypes, script };
  };
  return async ({ id, value }) => {
    if (value.type === "script") {
      const name = `${value.path} ${value.hash ?? ""}`;
      const known = scripts.get(name) ?? lookUp(value);
      scripts.set(name, known);
      return known;
    }
    const built = here.plan.scripts[id];
    if (!built) return undefined;
    const { runner, key, sha256, params, paramTypes } = built;
    return { runner, artefact: { key, sha256 }, params, paramTypes };
  };
}

/** What a module may say and still be one of a batch. */
const HARMLESS: ReadonlySet<string> = new Set(["id", "value", "summary", "segment", "priority"]);
const HARMLESS_VALUE: ReadonlySet<string> = new Set([
  "type",
  "hash",
  "tag_override",
  "content",
  "language",
  "lock",
  "path",
  "tag",
  "input_transforms",
  "is_trigger",
  "assets",
]);
const says = (object: object, harmless: ReadonlySet<string>) =>
  Object.entries(object).every(
    ([name, value]) => harmless.has(name) || value === undefined || value === null || value === false || value === 0,
  );
const doesNothingElse = (module: FlowModule) => isPlain(module) && says(module, HARMLESS) && says(module.value, HARMLESS_VALUE);

async function anyKnown(here: Here, candidates: readonly Candidate[]): Promise<boolean> {
  const { scope, at } = here;
  const refs = candidates.map(({ module: { id } }) => outcomeRef(id, scope.name, at));
  return (await readItems(here, refs)).size > 0;
}

function transformsOf({ value }: FlowModule): Record<string, InputTransform> {
  return value.type === "rawscript" || value.type === "script" ? (value.input_transforms ?? {}) : {};
}
const expressionsOf = (module: FlowModule) =>
  Object.values(transformsOf(module)).flatMap((transform) => (transform.type === "javascript" ? [transform.expr] : []));

/** As many as have arguments that are known now, or plain parts of what those before them will yield. */
async function membersOf(here: Here, candidates: readonly Candidate[], names: Evaluator): Promise<Member[]> {
  const members: Member[] = [];
  const modules = candidates.map(({ module }) => module);
  for (const [index, { module, code }] of candidates.entries()) {
    const member = { ...here, module, progress: {} };
    const args = await argumentsOf(modules.slice(0, index), module, names);
    const what = await whatOf(member, names, code.script);
    if (!args || "missing" in what) break;
    members.push({ here: member, code, job: stepJob(member, ownerOf(here, attemptId(member)), what), args });
  }
  return members;
}

async function argumentsOf(before: readonly FlowModule[], module: FlowModule, names: Evaluator): Promise<NextRun["args"] | undefined> {
  const args: [string, NextArgument][] = [];
  for (const [name, transform] of Object.entries(transformsOf(module))) {
    const argument = await argumentOf(before, transform, names);
    if (!argument) return undefined;
    args.push([name, argument]);
  }
  return Object.fromEntries(args);
}

/** `undefined`: it can be told only when the runs before it have ended. */
async function argumentOf(before: readonly FlowModule[], transform: InputTransform, names: Evaluator): Promise<NextArgument | undefined> {
  // Of what the same step gets, in the order of its parameters: not known here.
  if (transform.type === "javascript" && /\bparams\b/.test(transform.expr)) return undefined;
  const wanted = wantedBy(transform.type === "javascript" ? [transform.expr] : []);
  const waits = wanted.results === "all" || wanted.previous || before.some(({ id }) => (wanted.results as ReadonlySet<string>).has(id));
  if (before.length > 0 && waits && transform.type === "javascript") {
    const [root, ...path] = plainPath(transform.expr) ?? [];
    if (root === "previous_result") return { of: before.length - 1, path };
    const of = root === "results" ? before.findIndex(({ id }) => id === path[0]) : -1;
    return of < 0 ? undefined : { of, path: path.slice(1) };
  }
  try {
    const value = await names.transform(transform, { params: {} });
    return hasReferences(value) ? undefined : { value };
  } catch (error) {
    // The step fails with it, when it is its turn.
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
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
