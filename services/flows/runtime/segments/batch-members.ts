import { actions } from "../../../../contract/access/actions.ts";
import type { FlowModule, InputTransform } from "../../../../contract/flows/flow-value.ts";
import type { RunnerLanguage } from "../../../../contract/languages.ts";
import { parsePlainPath } from "../../../../core/expressions/plain-path.ts";
import { collectReferences } from "../../../../core/flows/references.ts";
import { isPlain } from "../../../../core/flows/scopes.ts";
import type { RunningJob } from "../../../../core/jobs/record/job.ts";
import { hasReferences } from "../../../../core/resources/references.ts";
import type { Runnable } from "../../../../core/scripts/version.ts";
import type { NextArgument, NextRun, ParamTypes } from "../../../../runners/protocol.ts";
import { lastRunTimes } from "../../../execution/run-times.ts";
import type { Uses } from "../../../uses.ts";
import { ExpressionError } from "../expressions/evaluator.ts";
import { attemptId, type StepContext } from "../step-context.ts";
import { erasureDelayS } from "../step-jobs/erasure.ts";
import { findRunnable, findScript, type NamedScript, permissionOf } from "../step-jobs/runnable.ts";
import { ownerOf, stepJob } from "../step-jobs/step-job.ts";

/** Only steps that took less than this when they last ran are batched. */
const QUICK_MS = 50;
const BATCH_MOST = 50;

/** One run of a batch. */
export interface BatchMember {
  step: StepContext;
  code: Code;
  job: Omit<RunningJob, "args">;
  args: NextRun["args"];
}

/** The built code of a step that needs only a run. */
interface Code {
  runner: RunnerLanguage;
  artefact: { key: string; sha256: string };
  params: string[] | null;
  paramTypes?: ParamTypes | undefined;
  script?: Runnable;
}
export interface Candidate {
  module: FlowModule;
  code: Code;
}

/** The first adjacent modules that only run a script, in one language, and are known to be quick. */
export async function findCandidates(deps: Uses<"objects">, step: StepContext, modules: readonly FlowModule[]): Promise<Candidate[]> {
  if (step.plan.value.early_return || (step.flow.watchedUntilMs ?? 0) > 0) return [];
  const codeOf = codeFinder(deps, step);
  const found: Candidate[] = [];
  for (const module of modules.slice(0, BATCH_MOST)) {
    const alone = !onlyRuns(module) || erasureDelayS({ module, scope: step.scope }) !== undefined;
    const code = alone ? undefined : await codeOf(module);
    if (!code || code.runner !== (found[0]?.code.runner ?? code.runner)) break;
    if ((lastRunTimes.get(code.artefact.key) ?? QUICK_MS) >= QUICK_MS) break;
    found.push({ module, code });
  }
  return found;
}

/** Finds the code of steps. Each script, and the right to run scripts, is looked up once. */
function codeFinder(deps: Uses<"objects">, step: StepContext): (module: FlowModule) => Promise<Code | undefined> {
  const scripts = new Map<string, Promise<Code | undefined>>();
  let rights: ReturnType<typeof permissionOf> | undefined;
  const lookUp = async (value: NamedScript): Promise<Code | undefined> => {
    rights ??= permissionOf(deps, step, actions.runScript.access);
    const [mayRun, script] = await Promise.all([rights, findScript(deps, step, value)]);
    if (script?.build.state !== "ready" || !script.runner || !mayRun(script.path)) return undefined;
    const { runner, build, params, paramTypes, concurrency, cacheTtlS, deleteAfterS, dedicated, inputSchema } = script;
    // The arguments of a following run are known only to its runner, which cannot check them.
    if (concurrency || cacheTtlS || deleteAfterS !== undefined || dedicated || inputSchema) return undefined;
    return { runner, artefact: { key: build.key, sha256: build.sha256 }, params, paramTypes, script };
  };
  return async ({ id, value }) => {
    if (value.type === "script") {
      const name = `${value.path} ${value.hash ?? ""}`;
      const loading = scripts.get(name) ?? lookUp(value);
      scripts.set(name, loading);
      return loading;
    }
    const built = step.plan.scripts[id];
    if (!built) return undefined;
    const { runner, key, sha256, params, paramTypes } = built;
    return { runner, artefact: { key, sha256 }, params, paramTypes };
  };
}

/** The fields that a module of a batch may have. */
const ALLOWED: ReadonlySet<string> = new Set(["id", "value", "summary", "segment", "priority"]);
const ALLOWED_IN_VALUE: ReadonlySet<string> = new Set([
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
const hasOnly = (object: object, allowed: ReadonlySet<string>) =>
  Object.entries(object).every(
    ([name, value]) => allowed.has(name) || value === undefined || value === null || value === false || value === 0,
  );
const onlyRuns = (module: FlowModule) => isPlain(module) && hasOnly(module, ALLOWED) && hasOnly(module.value, ALLOWED_IN_VALUE);

function transformsOf({ value }: FlowModule): Record<string, InputTransform> {
  return value.type === "rawscript" || value.type === "script" ? (value.input_transforms ?? {}) : {};
}
/** The expressions in the arguments of a module. */
export const transformExpressions = (module: FlowModule) =>
  Object.values(transformsOf(module)).flatMap((transform) => (transform.type === "javascript" ? [transform.expr] : []));

/** Prepares the runs of a batch. It ends before the first candidate whose arguments are neither known yet nor plain parts of earlier results. */
export async function prepareMembers(
  deps: Uses<"expressions" | "jobs" | "objects" | "storage" | "dataKeys" | "nowMs" | "worker">,
  step: StepContext,
  candidates: readonly Candidate[],
): Promise<BatchMember[]> {
  const members: BatchMember[] = [];
  const modules = candidates.map(({ module }) => module);
  for (const [index, { module, code }] of candidates.entries()) {
    const member = { ...step, module, progress: {} };
    const args = await knownArguments(deps, modules.slice(0, index), module);
    const runnable = await findRunnable(deps, member, code.script);
    if (!args || "missing" in runnable) break;
    members.push({ step: member, code, job: stepJob(deps, member, ownerOf(step, attemptId(member)), runnable), args });
  }
  return members;
}

async function knownArguments(
  deps: Uses<"expressions">,
  before: readonly FlowModule[],
  module: FlowModule,
): Promise<NextRun["args"] | undefined> {
  const args: [string, NextArgument][] = [];
  for (const [name, transform] of Object.entries(transformsOf(module))) {
    const argument = await knownArgument(deps, before, transform);
    if (!argument) return undefined;
    args.push([name, argument]);
  }
  return Object.fromEntries(args);
}

/** `undefined`: the argument is known only when the previous runs have ended. */
async function knownArgument(
  { expressions }: Uses<"expressions">,
  before: readonly FlowModule[],
  transform: InputTransform,
): Promise<NextArgument | undefined> {
  const references = await collectReferences(transform.type === "javascript" ? [transform.expr] : []);
  // Other arguments of the same step are not known here.
  if (references.names.has("params") || references.names.has("eval")) return undefined;
  const waits =
    references.results === "all" || references.previous || before.some(({ id }) => (references.results as ReadonlySet<string>).has(id));
  if (before.length > 0 && waits && transform.type === "javascript") {
    const [root, ...path] = parsePlainPath(transform.expr) ?? [];
    if (root === "previous_result") return { of: before.length - 1, path };
    const of = root === "results" ? before.findIndex(({ id }) => id === path[0]) : -1;
    return of < 0 ? undefined : { of, path: path.slice(1) };
  }
  try {
    const value = await expressions.transform("input_transforms", transform, { params: {} });
    return hasReferences(value) ? undefined : { value };
  } catch (error) {
    // The step fails with this error when it runs alone.
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}
