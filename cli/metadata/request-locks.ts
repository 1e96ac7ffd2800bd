import { randomUUID } from "node:crypto";
import { listFlowScripts } from "../../core/sync/files/inline-scripts.ts";
import { fieldsOf } from "../../core/sync/item.ts";
import type { LocalItem } from "../../core/sync/metadata/item-sources.ts";
import type { StaleSource } from "../../core/sync/metadata/stale-items.ts";
import type { ApiClient } from "../api/client.ts";
import { describeFailure, type JobStart, startJob, waitForEnd } from "../run/run-job.ts";

/** The fault of a build, and its log. */
export interface BuildFault {
  error: string;
  log: string;
}

/** The hashes of temporary sources by the path of their script. */
export type TempSources = ReadonlyMap<string, string>;

/** Returns the lock that the service resolves for a script, or the fault of its build. */
export async function requestScriptLock(client: ApiClient, source: StaleSource, temps: TempSources): Promise<string | BuildFault> {
  const body = {
    raw_scripts: [{ raw_code: source.source, language: source.language, script_path: source.path }],
    entrypoint: source.path,
    raw_workspace_dependencies: source.lists,
    temp_script_refs: selectTemps([source], temps),
  };
  const built = await runBuild<{ lock: string }>(client, { name: "jobs.run.dependencies", input: { body } });
  return "error" in built ? built : built.result.lock;
}

/** Returns the locks that the service resolves for inline scripts of a flow by the id of their module, or the fault of their build. */
export async function requestFlowLocks(
  client: ApiClient,
  { item }: LocalItem,
  sources: readonly StaleSource[],
  temps: TempSources,
): Promise<Map<string, string> | BuildFault> {
  const value = structuredClone(fieldsOf(item)["value"]);
  const stale = new Set(sources.map(({ id }) => id));
  // The service resolves the scripts without a lock, and uses the locks of the others.
  for (const { id, script } of listFlowScripts(value)) if (stale.has(id)) delete script["lock"];
  const body = {
    path: item.path,
    flow_value: value,
    raw_workspace_dependencies: Object.assign({}, ...sources.map(({ lists }) => lists)),
    temp_script_refs: selectTemps(sources, temps),
  };
  const built = await runBuild<{ updated_flow_value: unknown }>(client, { name: "jobs.run.flowDependencies", input: { body } });
  if ("error" in built) return built;
  const locked = listFlowScripts(built.result.updated_flow_value).filter(({ id }) => stale.has(id));
  return new Map(locked.map(({ id, script: { lock } }) => [id, typeof lock === "string" ? lock : ""]));
}

const selectTemps = (sources: readonly StaleSource[], temps: TempSources): Record<string, string> => {
  const imports = new Set(sources.flatMap((source) => source.imports));
  return Object.fromEntries([...temps].filter(([path]) => imports.has(path)));
};

async function runBuild<T>(client: ApiClient, build: JobStart): Promise<{ result: T } | BuildFault> {
  const id = randomUUID();
  await startJob(client, build, id);
  await waitForEnd(client, id);
  const { success, result } = await client.call.jobs.getCompleted({ id });
  if (success) return { result: result as T };
  return { error: describeFailure(result), log: (await client.call.jobs.getLogs({ id })).trim() };
}
