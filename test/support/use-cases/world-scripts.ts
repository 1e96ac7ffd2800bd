import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";
import { runInThisContext } from "node:vm";
import type { BuildRequest, BuildResult } from "../../../core/builds/build.ts";
import { type NextOutcome, nextArguments, type RunOutcome, type RunRequest } from "../../../runners/protocol.ts";
import { newWorld, type World } from "./world.ts";
import { addWorkspace } from "./world-jobs.ts";

type Main = (...args: unknown[]) => unknown;
/** One run of a script, alone or in a batch. */
type Run = Pick<RunRequest, "artefact" | "params" | "args">;

/** A world with a workspace whose TypeScript scripts run in this process. They may import nothing. */
export async function newScriptWorld(): Promise<World> {
  const world = await newWorld();
  await addWorkspace(world);
  const mains = new Map<string, Main>();
  world.answers.build = async ({ files, entry }: BuildRequest): Promise<BuildResult> => {
    const code = files[entry] ?? "";
    const sha256 = createHash("sha256").update(code).digest("hex");
    mains.set(sha256, compile(code));
    return { ok: true, lock: "", sha256, bytes: code.length, log: "" };
  };
  const run = ({ artefact, params, args }: Run) => callMain(mains.get(artefact.sha256), params ?? [], args);
  world.answers.run = async ({ next, ...request }) => {
    const outcome = await run(request);
    if (!next || outcome.outcome !== "success") return { kind: "outcome", outcome };
    const [results, outcomes] = [[outcome.result], [] as NextOutcome[]];
    for (const { artefact, params, args } of next.runs) {
      const made = nextArguments(args, results);
      if (!made) break;
      const following = await run({ artefact, params, args: made });
      outcomes.push({ ...following, startedAtMs: world.clock.nowMs, endedAtMs: world.clock.nowMs });
      if (following.outcome !== "success") break;
      results.push(following.result);
    }
    return { kind: "outcome", outcome: { ...outcome, next: outcomes } };
  };
  return world;
}

function compile(code: string): Main {
  const script = stripTypeScriptTypes(code).replaceAll(/^export /gm, "");
  return runInThisContext(`(() => { ${script}\nreturn main; })()`) as Main;
}

async function callMain(main: Main | undefined, params: readonly string[], args: Record<string, unknown>): Promise<RunOutcome> {
  const rest = { logs: { offset: 0, text: "" }, timings: { setupMs: 0, runMs: 1, totalMs: 1, freshHost: true } };
  try {
    if (!main) throw new Error("The artefact was not built in this world.");
    const result: unknown = await main(...params.map((name) => args[name]));
    return { outcome: "success", result: JSON.parse(JSON.stringify(result) ?? "null") as unknown, ...rest };
  } catch (error) {
    const { name, message } = error as Error;
    return { outcome: "failure", error: { name, message }, ...rest };
  }
}
