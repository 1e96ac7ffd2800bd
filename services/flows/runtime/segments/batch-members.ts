import { actions } from "../../../../contract/actions.ts";
import type { FlowModule, InputTransform } from "../../../../contract/flow-value.ts";
import type { RunnerLanguage } from "../../../../contract/languages.ts";
import { plainPath } from "../../../../core/expressions/evaluate.ts";
import { collectReferences } from "../../../../core/flows/names.ts";
import { isPlain } from "../../../../core/flows/scopes.ts";
import type { RunningJob } from "../../../../core/jobs/job.ts";
import { hasReferences } from "../../../../core/resources/references.ts";
import type { Runnable } from "../../../../core/scripts/version.ts";
import type { NextArgument, NextRun } from "../../../../runners/protocol.ts";
import { runTimes } from "../../../execution/run-times.ts";
import { type Evaluator, ExpressionError } from "../expressions/evaluator.ts";
import { erasedAfterS, type NamedScript, ownerOf, readersMay, runnableFor, scriptOf, stepJob } from "../modules/script.ts";
import { attemptId, type StepContext } from "../step-context.ts";

/** Steps that took less than this when they ran last go together. */
const QUICK_MS = 50;
const MOST = 50;

/** A step on its way into a batch. */
export interface Member {
  here: StepContext;
  code: Code;
  job: Omit<RunningJob, "args">;
  args: NextRun["args"];
}

/** What a step runs: built, with nothing of its own that asks for more than a run. */
interface Code {
  runner: RunnerLanguage;
  artefact: { key: string; sha256: string };
  params: string[] | null;
  paramTypes?: Record<string, "date" | "bytes"> | undefined;
  script?: Runnable;
}
export interface Candidate {
  module: FlowModule;
  code: Code;
}

/** Neighbours of one language that do nothing but run, and are known to be quick. */
export async function quickOnes(step: StepContext, modules: readonly FlowModule[]): Promise<Candidate[]> {
  if (step.plan.value.early_return || (step.flow.watchedUntilMs ?? 0) > 0) return [];
  const codeOf = codes(step);
  const found: Candidate[] = [];
  for (const module of modules.slice(0, MOST)) {
    const alone = !doesNothingElse(module) || erasedAfterS({ module, scope: step.scope }) !== undefined;
    const code = alone ? undefined : await codeOf(module);
    if (!code || code.runner !== (found[0]?.code.runner ?? code.runner)) break;
    if ((runTimes.of(code.artefact.key) ?? QUICK_MS) >= QUICK_MS) break;
    found.push({ module, code });
  }
  return found;
}

/** Finds the code of steps: each script is looked up once, and the rights to run any. */
function codes(step: StepContext): (module: FlowModule) => Promise<Code | undefined> {
  const scripts = new Map<string, Promise<Code | undefined>>();
  let rights: ReturnType<typeof readersMay> | undefined;
  const lookUp = async (value: NamedScript): Promise<Code | undefined> => {
    rights ??= readersMay(step, actions.runScript.access);
    const [mayRun, script] = await Promise.all([rights, scriptOf(step, value)]);
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
    const built = step.plan.scripts[id];
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

function transformsOf({ value }: FlowModule): Record<string, InputTransform> {
  return value.type === "rawscript" || value.type === "script" ? (value.input_transforms ?? {}) : {};
}
export const expressionsOf = (module: FlowModule) =>
  Object.values(transformsOf(module)).flatMap((transform) => (transform.type === "javascript" ? [transform.expr] : []));

/** As many as have arguments that are known now, or plain parts of what those before them will yield. */
export async function membersOf(step: StepContext, candidates: readonly Candidate[], names: Evaluator): Promise<Member[]> {
  const members: Member[] = [];
  const modules = candidates.map(({ module }) => module);
  for (const [index, { module, code }] of candidates.entries()) {
    const member = { ...step, module, progress: {} };
    const args = await argumentsOf(modules.slice(0, index), module, names);
    const what = await runnableFor(member, names, code.script);
    if (!args || "missing" in what) break;
    members.push({ here: member, code, job: stepJob(member, ownerOf(step, attemptId(member)), what), args });
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
  const wanted = collectReferences(transform.type === "javascript" ? [transform.expr] : []);
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
