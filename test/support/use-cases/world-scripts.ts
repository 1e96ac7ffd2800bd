import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";
import { setTimeout } from "node:timers/promises";
import { format } from "node:util";
import { runInThisContext } from "node:vm";
import type { BuildRequest, BuildResult } from "../../../core/builds/build.ts";
import { type NextOutcome, nextArguments, type RunError, type RunOutcome, type RunRequest } from "../../../runners/protocol.ts";
import { newWorld, type World } from "./world.ts";
import { addWorkspace } from "./world-jobs.ts";

/** The parts of the runners that are JavaScript, and so have no types. */
const runnerPart = <Part>(name: string) => import(`../../../runners/shared/${name}.mjs`) as Promise<Part>;
const { argumentsFor } = await runnerPart<{ argumentsFor: (entry: Exported, job: object) => unknown[] }>("arguments");
const { toJson } = await runnerPart<{ toJson: (value: unknown) => unknown }>("result-json");
const { describe } = await runnerPart<{ describe: (thrown: unknown) => RunError }>("thrown");
type Exported = (...args: unknown[]) => unknown;
/** The globals of a script, with the environment and the output of one run. */
interface Surroundings {
  process: { env: Record<string, string> };
  console: { log: (...values: unknown[]) => void };
  Bun: { sleep: (ms: number) => Promise<void> };
}
type Load = (surroundings: Surroundings) => Record<string, Exported | undefined>;
/** One run of a script, alone or in a batch. */
type Run = Pick<RunRequest, "artefact" | "params" | "args" | "env"> &
  Partial<Pick<RunRequest, "entrypoint" | "preprocessor" | "maxInlineResultBytes" | "resultUrl">>;

/** A world with a workspace whose TypeScript scripts run in this process. They may import nothing. */
export async function newScriptWorld(): Promise<World> {
  const world = await newWorld();
  await addWorkspace(world);
  runScriptsHere(world);
  return world;
}

/** Lets the builds of a world succeed, and its TypeScript scripts run in this process. */
export function runScriptsHere(world: World): void {
  const sources = new Map<string, string>();
  const loads = new Map<string, Load>();
  world.answers.build = async ({ files, entry }: BuildRequest): Promise<BuildResult> => {
    const code = files[entry] ?? "";
    const sha256 = createHash("sha256").update(code).digest("hex");
    sources.set(sha256, code);
    return { ok: true, lock: "", sha256, bytes: code.length, log: "" };
  };
  const load = (sha256: string): Load => {
    const loaded = loads.get(sha256) ?? compile(sources.get(sha256));
    loads.set(sha256, loaded);
    return loaded;
  };
  const run = ({ artefact, ...rest }: Run) => runScript(() => load(artefact.sha256), rest);
  world.answers.run = async ({ next, ...request }) => {
    const outcome = await run(request);
    if (!next || outcome.outcome !== "success") return { kind: "outcome", outcome };
    const [results, outcomes] = [[outcome.result], [] as NextOutcome[]];
    for (const { artefact, params, args, env } of next.runs) {
      const nextArgs = nextArguments(args, results);
      if (!nextArgs) break;
      const following = await run({ artefact, params, args: nextArgs, env });
      outcomes.push({ ...following, startedAtMs: world.clock.nowMs, endedAtMs: world.clock.nowMs });
      if (following.outcome !== "success") break;
      results.push(following.result);
    }
    return { kind: "outcome", outcome: { ...outcome, next: outcomes } };
  };
}

function compile(code: string | undefined): Load {
  if (code === undefined) throw new Error("The artefact was not built in this world.");
  const script = stripTypeScriptTypes(code).replaceAll(/^\s*export /gm, "");
  const named = ["main", "preprocessor"].map((name) => `${name}: typeof ${name} === "undefined" ? undefined : ${name}`);
  return runInThisContext(`(({ process, console, Bun }) => { ${script}\nreturn { ${named.join(", ")} }; })`) as Load;
}

/** Runs a script as the runners of TypeScript do, except that its errors have no stack. */
async function runScript(load: () => Load, run: Omit<Run, "artefact">): Promise<RunOutcome> {
  const { args, env, entrypoint = "main", preprocessor } = run;
  const lines: string[] = [];
  const rest = () => ({
    logs: { offset: 0, text: lines.map((line) => `${line}\n`).join("") },
    timings: { setupMs: 0, runMs: 1, totalMs: 1, freshHost: true },
  });
  try {
    const console = { log: (...values: unknown[]) => void lines.push(format(...values)) };
    const exported = load()({ process: { env }, console, Bun: { sleep: (ms) => setTimeout(ms) } });
    const call = async (name: string, job: Pick<Run, "params" | "args">): Promise<unknown> => {
      const entry = exported[name];
      if (!entry) throw new Error(`The script exports no ${name}.`);
      return toJson(await entry(...argumentsFor(entry, { entrypoint: name, ...job }))) ?? null;
    };
    const preprocessed = preprocessor && ((await call("preprocessor", { params: preprocessor.params, args })) as Record<string, unknown>);
    const result = await call(entrypoint, { params: run.params, args: preprocessed ?? args });
    return { outcome: "success", ...(await toResult(result, run)), ...(preprocessed ? { preprocessed } : {}), ...rest() };
  } catch (error) {
    const { stack: _, ...thrown } = describe(error);
    return { outcome: "failure", error: thrown, ...rest() };
  }
}

/** Uploads a result that is too large for the reply of a runner. */
async function toResult(result: unknown, { maxInlineResultBytes = Number.POSITIVE_INFINITY, resultUrl = "" }: Partial<Run>) {
  const body = Buffer.from(JSON.stringify(result));
  if (body.length <= maxInlineResultBytes) return { result: JSON.parse(body.toString()) as unknown };
  const { ok, status } = await fetch(resultUrl, { method: "PUT", body });
  if (!ok) throw new Error(`The upload of the result is answered with ${status}.`);
  return { resultUploaded: { bytes: body.length } };
}
