import { randomUUID } from "node:crypto";
import pMap from "p-map";
import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { describeError, isBusyError, isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import {
  addOutcomes,
  addPage,
  type Bulk,
  bulkObject,
  bulkPartObject,
  endEarly,
  isSameProgress,
  PART_JOBS,
  type UnitOutcome,
} from "../../core/bulk/bulk.ts";
import { type StoredObject, unchangedSince } from "../../core/objects/write.ts";
import type { Person } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { parseJson } from "../../core/records/record-format.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { createRerun } from "../flows/lifecycle/rerun.ts";
import { buildRightsKeys, identifyIfEnabled } from "../identity/identify.ts";
import { type CancelJobDeps, cancelJob } from "../jobs/cancel/cancel-job.ts";
import { idempotencyKeyFrom } from "../jobs/queue/idempotency-key.ts";
import { listJobIds } from "../jobs/read/lists/list.ts";
import { findJob } from "../jobs/read/read.ts";
import type { Uses } from "../uses.ts";
import { storePart } from "./start-bulk.ts";

/** The time after which another message continues the action. The worker ends after 15 minutes, and other work waits for it. */
const MOST_MS = 60_000;
/** The number of jobs that are handled concurrently. */
const AT_ONCE = 10;

/** The message of a bulk action: its id, its workspace, and the key of its creator. */
export interface BulkMessage {
  id: string;
  workspace: string;
  person: string;
}

type Adapters = CancelJobDeps & Uses<"objects">;

/**
 * Continues a bulk action, part by part, and sends the next message if there was no time for all parts. The progress is written after each part. A part that
 * is repeated, because this process died or two messages arrived, changes nothing more: a job is canceled once, and the run that replaces it has an idempotency
 * key. Throws `service.busy`, after which the message is repeated.
 */
export async function continueBulk(deps: Adapters, { id, workspace, person }: BulkMessage): Promise<void> {
  const untilMs = deps.nowMs() + MOST_MS;
  const load = async () => {
    const stored = await deps.objects.get(bulkObject.key(workspace, person, id));
    return stored && { stored, bulk: bulkObject.parse(stored) };
  };
  for (let found = await load(); found && !found.bulk.ended; found = await load()) {
    if (deps.nowMs() >= untilMs) return deps.queue.sendFollowUp({ id, workspace, bulk: person });
    const change = await handlePart(deps, workspace, found.bulk);
    // Another message is ahead.
    if (!(await save(deps, found, change, load))) return;
  }
}

interface FoundBulk {
  stored: StoredObject;
  bulk: Bulk;
}

/** Writes the progress. Its creator may have requested a stop since the last write. Returns false if another message has changed the progress. */
async function save(
  { objects }: Uses<"objects">,
  found: FoundBulk,
  change: (bulk: Bulk) => Bulk,
  load: () => Promise<FoundBulk | undefined>,
): Promise<boolean> {
  for (let current: FoundBulk | undefined = found; current && isSameProgress(current.bulk, found.bulk); current = await load()) {
    const { stored, bulk } = current;
    if (await objects.put({ ...stored, value: change(bulk), version: randomUUID() }, unchangedSince(stored))) return true;
  }
  return false;
}

/** Does the next part of an action, and returns the change of its progress. */
async function handlePart(deps: Adapters, workspace: string, bulk: Bulk): Promise<(bulk: Bulk) => Bulk> {
  if (bulk.stops) return (current) => endEarly(current);
  const actor = await findCaller(deps, workspace, bulk);
  if ("refused" in actor) return (current) => endEarly(current, actor.refused);
  if (bulk.search) return collectPage(deps, { actor, workspace }, bulk, bulk.search);
  const part = bulk.parts[bulk.completed] ?? "";
  const stored = await deps.objects.get(bulkPartObject.key(workspace, bulk.id, part));
  if (!stored) throw new Error(`The bulk action ${bulk.id} has lost its part ${part}.`);
  const handleJob = bulk.action === "cancel" ? createCancel(deps, actor, workspace) : createRunAgain(deps, actor, workspace, bulk);
  const outcomes = await pMap(bulkPartObject.parse(stored), (id) => toOutcome(id, () => handleJob(id)), { concurrency: AT_ONCE });
  return (current) => addOutcomes(current, outcomes);
}

/** Returns the creator with their current rights and the limits of the token, or the reason for which the action ends. */
async function findCaller(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  workspace: string,
  { caller: { email, superAdmin, tokenWorkspace, scopes, expiresAtMs } }: Bulk,
): Promise<Person | { refused: string }> {
  const found = await objects.batchGet(buildRightsKeys(personKey(email), workspace), { consistent: true });
  const identity = identifyIfEnabled({ email, superAdmin, workspace }, found);
  const refuse = (error: unknown) => ({ refused: isSvcError(error) ? describeError(error).sentence : "" });
  if (!identity || (expiresAtMs !== undefined && expiresAtMs <= nowMs())) return refuse(new SvcError("auth.invalid", {}));
  if (identity.workspaceState === "archived") return refuse(new SvcError("workspace.archived", { workspace }));
  if (identity.workspaceState === "deleted" || !(identity.rights || identity.superAdmin))
    return refuse(new SvcError("workspace.notFound", { workspace }));
  const limitsOfToken = defined({ workspace: tokenWorkspace, scopes });
  return { ...identity, ...limitsOfToken, kind: "person", tokenHash: "", tokenPrefix: "" };
}

/** Lists the next jobs that match. Jobs that the action itself creates are newer than the action. */
async function collectPage(
  deps: Adapters,
  { actor, workspace }: { actor: Person; workspace: string },
  bulk: Bulk,
  { filterJson, cursor }: NonNullable<Bulk["search"]>,
): Promise<(bulk: Bulk) => Bulk> {
  const { id, action, createdAtMs, total } = bulk;
  const filter = parseJson({ parent: "a bulk action", ref: id, json: filterJson }) as { created_before?: string };
  const before = Math.min(createdAtMs - 1, filter.created_before === undefined ? createdAtMs : Date.parse(filter.created_before));
  const query = { ...filter, created_before: toIsoTime(before), per_page: Math.min(PART_JOBS, limits.bulkJobs - total), cursor };
  const [scope, listing] = action === "cancel" ? (["queue", actions.cancelJob] as const) : (["completed", actions.readJob] as const);
  const { entries, next } = await listJobIds(deps, { actor, action: listing }, { workspace, query, scope });
  const part = entries.length > 0 ? await storePart(deps, { workspace, id, createdAtMs }, entries) : "";
  return (current) => addPage(current, { part, count: entries.length, next });
}

type HandleJob = (id: string) => Promise<unknown>;

/** A job that is canceled already counts as done, because an earlier message of this action may have canceled it. */
const createCancel =
  (deps: Adapters, actor: Person, workspace: string): HandleJob =>
  async (id) => {
    const job = await findJob(deps, { actor, action: actions.cancelJob }, { workspace, id });
    try {
      await cancelJob(deps, job, { by: actor.username, reason: "" });
    } catch (error) {
      if (!isSvcError(error) || error.code !== "job.ended" || error.details.state !== "canceled") throw error;
    }
  };

function createRunAgain(deps: Adapters, actor: Person, workspace: string, { id: bulk, latest, argsJson }: Bulk): HandleJob {
  const args = argsJson === undefined ? {} : (parseJson({ parent: "a bulk action", ref: bulk, json: argsJson }) as Record<string, never>);
  const input_transforms = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { type: "static" as const, value }]));
  const options = { input_transforms, use_latest_version: latest };
  const rerun = createRerun(deps, { actor, action: actions.rerunJobs, workspace });
  return async (id) => {
    const key = idempotencyKeyFrom({ "idempotency-key": bulk }, [workspace, actor.email, "bulk", id], { args: {}, files: [] });
    return rerun(id, await deps.jobs.get(id), options, key && { ...key, retentionMs: limits.bulkMs });
  };
}

/** The number of attempts for one job if its failure has no known reason. */
const TRIES = 3;

/** Throws `service.busy`, so that the part is repeated. A failure that repeats itself belongs to the job, and does not keep the others from their turn. */
async function toOutcome(id: string, handle: () => Promise<unknown>): Promise<UnitOutcome> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    try {
      await handle();
      return { id };
    } catch (error) {
      if (isBusyError(error)) throw error;
      if (isSvcError(error)) return { id, error: describeError(error).sentence };
      reportFailure("A job of a bulk action could not be handled", error, { job: id });
    }
  }
  return { id, error: "An internal error occurred. The log contains it." };
}
