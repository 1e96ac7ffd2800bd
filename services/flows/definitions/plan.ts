import pMap from "p-map";
import { defined } from "../../../contract/defined.ts";
import type { FlowModule, FlowValue } from "../../../contract/flows/flow-value.ts";
import { findRunner } from "../../../contract/languages.ts";
import type { BuildOverrides } from "../../../core/builds/packages/overrides.ts";
import { type FlowPlan, listAllModules, removeInlineCode } from "../../../core/flows/version.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { chooseLock } from "../../../core/scripts/version.ts";
import { buildArtefact } from "../../builds/artefact.ts";
import type { Uses } from "../../uses.ts";

/**
 * The plan of a flow, or the errors of its inline scripts. `locks` contains the lock of each inline script by module; runs do not need
 * them.
 */
export type PlanResult =
  | { ok: true; plan: FlowPlan; locks: Record<string, string>; log: string }
  | { ok: false; error: string; log: string };

type RawScript = FlowModule & { value: Extract<FlowModule["value"], { type: "rawscript" }> };
const isInlineScript = (module: FlowModule): module is RawScript => module.value.type === "rawscript";

/** The flow to build. */
interface FlowSource {
  path: string;
  value: FlowValue;
  overrides?: BuildOverrides | undefined;
}

/** The number of concurrent builds of inline scripts. */
const AT_ONCE = 4;

/** Builds a flow's inline scripts and returns its plan. Equal scripts have the same artefact and are built once. */
export async function planFlow(
  deps: Uses<"objects" | "storage" | "functions" | "target" | "registries">,
  job: Job,
  { path, value, overrides }: FlowSource,
): Promise<PlanResult> {
  const { readScriptInterface: interfaceOf } = await import("../../../core/scripts/interface.ts");
  const scripts: FlowPlan["scripts"] = {};
  const locks: Record<string, string> = {};
  const logs: string[] = [];
  const failed: string[] = [];
  const build = async ({ id, value: raw }: RawScript): Promise<void> => {
    const runner = findRunner(raw.language, raw.content);
    if (!runner) return;
    const source = {
      workspace: job.workspace,
      runner,
      path: raw.path ?? `${path}/${id}`,
      content: raw.content,
      lock: raw.lock || undefined,
      job,
      overrides,
    };
    const built = await buildArtefact(deps, source);
    logs.push(`${id}: ${built.log}`);
    if (!built.ok) failed.push(`${id}: ${built.error}`);
    else {
      locks[id] = chooseLock(raw.lock, built.lock) ?? "";
      const { params, paramTypes } = interfaceOf(raw.language, raw.content);
      scripts[id] = { runner, key: built.key, sha256: built.sha256, params, ...defined({ paramTypes }) };
    }
  };
  await pMap(listAllModules(value).filter(isInlineScript), build, { concurrency: AT_ONCE });
  const log = logs.join("");
  const plan = { value: removeInlineCode(value), scripts };
  return failed.length > 0 ? { ok: false, error: failed.join("\n"), log } : { ok: true, plan, locks, log };
}
