import { actions } from "../../contract/access/actions.ts";
import { defined, mapDefined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { FlowStatus, ModuleStatus } from "../../contract/routes/flows/flow-status.ts";
import type { SharedRunJson } from "../../contract/routes/jobs/shares.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { removeMarkedSecrets } from "../../core/inputs/marked-secrets.ts";
import { argsVisibleTo, getStartMs, getWaitState, hasEnded, type Job, PEOPLE, resultVisibleTo } from "../../core/jobs/record/job.ts";
import type { Person } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { parseShareToken, type Share } from "../../core/shares/share.ts";
import { loadFlowLogs } from "../flows/inspection/logs.ts";
import { loadFlowFields } from "../flows/inspection/status.ts";
import { buildRightsKeys, identifyIfEnabled } from "../identity/identify.ts";
import { loadJobSchema } from "../inputs/runnable.ts";
import { createVisibilityFilter } from "../jobs/read/read.ts";
import { loadJson } from "../jobs/values/values.ts";
import type { Uses } from "../uses.ts";
import { loadShares } from "./shares.ts";

/**
 * Returns the run that a link shows to everyone who has it. Secrets are masked as for people. Throws `share.notFound` for a link that is unknown, expired or
 * revoked, whose run was erased or removed, or whose creator may not share the run any more.
 */
export async function loadSharedRun(
  deps: Uses<"jobs" | "objects" | "storage" | "executions" | "nowMs">,
  token: string,
): Promise<SharedRunJson> {
  const { job, share, creator } = await findShared(deps, token);
  const ended = hasEnded(job);
  const [{ flow_status: status }, log, args, result] = await Promise.all([
    loadFlowFields(deps, job),
    loadFlowLogs(deps, { actor: creator, action: actions.readJob }, job),
    share.withArgs ? loadArgs(deps, job) : undefined,
    ended ? loadJson(deps, job, resultVisibleTo(PEOPLE, job)) : undefined,
  ]);
  const tooLarge = (value: unknown) => value !== undefined && Buffer.byteLength(JSON.stringify(value)) > limits.sharedPartBytes;
  // A character has up to 6 bytes as JSON.
  const logs = tooLarge(log) ? log.slice(0, limits.sharedPartBytes / 6) : log;
  const startedAtMs = ended ? getStartMs(job) : job.state === "running" ? job.startedAtMs : undefined;
  return {
    ...defined({ path: job.path, language: job.language }),
    job_kind: job.kind,
    state: job.state === "running" ? (getWaitState(job) ?? "running") : job.state,
    created_at: toIsoTime(job.createdAtMs),
    ...defined({ started_at: mapDefined(startedAtMs, toIsoTime) }),
    ...(ended ? { completed_at: toIsoTime(job.endedAtMs), duration_ms: job.endedAtMs - getStartMs(job) } : {}),
    ...(status ? { steps: listSteps(status) } : {}),
    logs,
    ...(args === undefined || tooLarge(args) ? {} : { args }),
    ...(result === undefined || tooLarge(result) ? {} : { result: result as SharedRunJson["result"] }),
    omitted: Object.entries({ logs: log, args, result }).flatMap(([name, value]) => (tooLarge(value) ? [name as "logs"] : [])),
    expires_at: toIsoTime(share.expiresAtMs),
  };
}

async function findShared(deps: Uses<"jobs" | "objects" | "nowMs">, token: string): Promise<{ job: Job; share: Share; creator: Person }> {
  const named = parseShareToken(token);
  const job = named && (await deps.jobs.get(named.job));
  if (named && job && !(hasEnded(job) && job.erased)) {
    const share = (await loadShares(deps, job)).shares.find(({ hash }) => hash === named.hash);
    const creator = share && (await findCreator(deps, job, share));
    if (share && creator && createVisibilityFilter({ actor: creator, action: actions.shareJob })(job)) return { job, share, creator };
  }
  throw new SvcError("share.notFound", {});
}

/** Returns the creator of a link with their current rights. `undefined` if they are disabled or removed, or if the workspace was deleted. */
async function findCreator({ objects }: Uses<"objects">, { workspace }: Job, { email, superAdmin }: Share): Promise<Person | undefined> {
  const found = await objects.batchGet(buildRightsKeys(personKey(email), workspace), { consistent: true });
  const identity = identifyIfEnabled({ email, superAdmin, workspace }, found);
  if (!identity || identity.workspaceState === "deleted") return undefined;
  return { ...identity, kind: "person", tokenHash: "", tokenPrefix: "" };
}

async function loadArgs(deps: Uses<"jobs" | "objects" | "storage">, job: Job): Promise<Record<string, unknown>> {
  const [args, schema] = await Promise.all([loadJson(deps, job, argsVisibleTo(PEOPLE, job)), loadJobSchema(deps, job)]);
  return removeMarkedSecrets(args as Record<string, unknown>, schema);
}

type SharedStep = NonNullable<SharedRunJson["steps"]>[number];

const stateOf: Record<ModuleStatus["type"], SharedStep["state"]> = {
  WaitingForPriorSteps: "pending",
  WaitingForEvents: "waiting",
  WaitingForExecutor: "queued",
  InProgress: "running",
  Success: "succeeded",
  Failure: "failed",
};

/** Lists the modules of a flow, without the ids of their jobs and without the people who approved. The failure module is listed if it has begun. */
function listSteps({ preprocessor_module: preprocessor, modules, failure_module: failure }: FlowStatus): SharedStep[] {
  const failures = failure.type === "WaitingForPriorSteps" ? [] : [failure];
  return [...(preprocessor ? [preprocessor] : []), ...modules, ...failures].map((module): SharedStep => {
    const state = "skipped" in module && module.skipped ? "skipped" : stateOf[module.type];
    const { iterator, branchall }: Partial<Extract<ModuleStatus, { type: "InProgress" }>> = module.type === "InProgress" ? module : {};
    const done = iterator ? iterator.index : branchall?.branch;
    return { id: module.id, state, ...defined({ done, of: iterator?.itered_len ?? branchall?.len }) };
  });
}
