import { randomUUID } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import type { EventData } from "../../contract/events.ts";
import { findRunner } from "../../contract/languages.ts";
import { limits } from "../../contract/limits.ts";
import { MAX_PARENTS, type NewScript } from "../../contract/routes/stored/script.ts";
import type { Bundle } from "../../core/builds/bundle.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import { firstDueMs } from "../../core/jobs/record/lifecycle.ts";
import { listHiddenArgs } from "../../core/jobs/record/preview.ts";
import { readSettings } from "../../core/jobs/record/run-settings.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import {
  type BuildState,
  chooseSchema,
  computeVersionHash,
  type Runnable,
  type StoredVersion,
  scriptBodyObject,
  scriptHistoryObject,
  scriptListingObject,
  scriptVersionObject,
  toConcurrencyRule,
} from "../../core/scripts/version.ts";
import { toSearchText } from "../../core/search/index-items.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { prepareJob, sendJob } from "../jobs/queue/enqueue.ts";
import { storeVersionBody, VERSION_ITEM_BYTES } from "../objects/version-body.ts";
import { type TransactionPart, toPart } from "../outbox/commit-parts.ts";
import { buildIndexParts } from "../search/index-parts.ts";
import type { Uses } from "../uses.ts";
import { scriptObjectKey } from "./load.ts";

export type ParentVersion = { runnable: Runnable; version: StoredVersion };

/** A request to save a version, after its checks. */
interface SaveRequest {
  actor: Actor;
  workspace: string;
  newScript: NewScript;
  parent: ParentVersion | undefined;
  onBehalfOf: Runnable["onBehalfOf"];
  /** The uploaded bundle that its runs execute. */
  bundle?: Bundle | undefined;
}

/**
 * Builds a version of a script, together with its build. Throws `body.shape` for a check of the arguments without a usable schema. A transaction
 * that another version has preceded fails with `script.parentHasChild`.
 */
export async function buildScriptVersion(deps: Uses<"jobs" | "storage" | "queue" | "nowMs">, save: SaveRequest) {
  const { actor, workspace, newScript, parent, bundle } = save;
  const { path } = newScript;
  const atMs = deps.nowMs();
  const hash = computeVersionHash(workspace, randomUUID(), newScript);
  const { readScriptInterface: interfaceOf } = await import("../../core/scripts/interface.ts");
  const { inferredSchema, ...read } = interfaceOf(newScript.language, newScript.content);
  const inputSchema = newScript.validate_input ? await loadInputSchema(newScript, inferredSchema) : undefined;
  const hiddenArgs = listHiddenArgs(chooseSchema(newScript.schema, inferredSchema));
  const version: StoredVersion = {
    sent: newScript,
    hash,
    parentHashes: parent ? [parent.runnable.hash, ...parent.version.parentHashes].slice(0, MAX_PARENTS) : [],
    createdBy: actor.username,
    createdAtMs: atMs,
    ...defined({ inferredSchema, bundle }),
  };
  const runner = findRunner(newScript.language, newScript.content);
  const job = runner ? await prepareJob(deps, buildDependenciesJob(save, hash)) : undefined;
  const runnable = { ...buildRunnable(save, hash), ...defined({ runner, inputSchema, hiddenArgs }), ...read };
  const build: BuildState = job ? { state: "pending", job: job.id } : { state: "none" };
  const s3Key = scriptObjectKey(workspace, version.hash);
  const body = await storeVersionBody(deps, { s3Key, json: JSON.stringify(version), itemBytes: VERSION_ITEM_BYTES });
  const hasChild = parent && new SvcError("script.parentHasChild", { parentHash: parent.runnable.hash });
  const renamed = parent && parent.runnable.path !== path ? parent.runnable : undefined;
  return {
    value: runnable,
    version: { version: hash, build },
    // Nothing can be run at the old path any longer, but its versions and history remain.
    from: renamed && { path: renamed.path, unchanged: { version: renamed.hash }, refused: hasChild },
    conditions: parent
      ? [toPart(write.update({ ...scriptVersionObject.key(workspace, parent.runnable.hash), next: hash }, "childless"), hasChild)]
      : [],
    parts: [
      toPart(write.put({ ...scriptVersionObject.key(workspace, hash), value: runnable, version: hash, build }, "absent")),
      toPart(write.put({ ...scriptBodyObject.key(workspace, hash), value: body }, "absent")),
      ...buildListingParts(save, version, read.preprocessor !== undefined),
      ...buildIndexParts({
        workspace,
        kind: "script",
        before: parent && { path: parent.runnable.path },
        after: { path, text: toSearchText(newScript), source: { version: hash, text: newScript.content } },
      }),
      ...(renamed ? [toPart(write.remove(scriptListingObject.key(workspace, renamed.path)))] : []),
      ...(job ? [toPart({ raw: { Put: deps.jobs.createParams(job, firstDueMs(job.createdAtMs)) } })] : []),
    ],
    event: { type: parent ? ("UpdateScript" as const) : ("CreateScript" as const), data: buildEventData(save, hash) },
    sent: undefined,
    hash,
    job,
  };
}

/**
 * Sends the build of a version. The script is saved even if the message cannot be sent: housekeeping finds the job by its due time and sends it
 * again.
 */
export async function sendBuild(deps: Uses<"queue" | "nowMs">, job: Job | undefined): Promise<void> {
  if (!job) return;
  await sendJob(deps, job).catch((error: unknown) =>
    reportFailure("The build could not be sent to the queue; housekeeping sends it", error, { job: job.id }),
  );
}

async function loadInputSchema({ schema }: NewScript, inferred: StoredVersion["inferredSchema"]) {
  // Loaded with the first schema, so that functions start faster without it.
  const { requireInputSchema } = await import("../../core/resources/input-schema.ts");
  return requireInputSchema(chooseSchema(schema, inferred));
}

/** Without `refused`, a refusal means that another writer has changed the script. */
function buildEventData({ newScript, parent }: SaveRequest, hash: string): EventData<"UpdateScript"> {
  const { path, language, kind, deployment_message: message } = newScript;
  return {
    path,
    ...(parent && parent.runnable.path !== path ? { old_path: parent.runnable.path } : {}),
    hash,
    ...(parent ? { parent_hash: parent.runnable.hash } : {}),
    language,
    kind: kind ?? "script",
    ...(message ? { deployment_message: message } : {}),
  };
}

const buildDependenciesJob = ({ actor, workspace, newScript: { path, language } }: SaveRequest, hash: string) => ({
  actor,
  workspace,
  kind: "dependencies" as const,
  path,
  hash,
  language,
  args: {},
  timeoutS: 600,
  id: uuidv7(),
});

function buildRunnable({ workspace, newScript, onBehalfOf }: SaveRequest, hash: string) {
  return {
    workspace,
    path: newScript.path,
    hash,
    language: newScript.language,
    ...readSettings("script", newScript),
    timeoutS: newScript.timeout ?? limits.defaultTimeoutS,
    tag: newScript.tag ?? newScript.language,
    dedicated: newScript.dedicated_worker ?? false,
    ...(newScript.concurrent_limit ? { concurrency: toConcurrencyRule(newScript, newScript.concurrent_limit, newScript.path) } : {}),
    ...defined({ onBehalfOf }),
    ...(typeof newScript.delete_after_secs === "number" ? { deleteAfterS: newScript.delete_after_secs } : {}),
    ...(newScript.cache_ignore_s3_path ? { cacheIgnoresPaths: true } : {}),
    ...(newScript.idempotent_webhook_id ? { onceByWebhookId: true } : {}),
    archived: false,
    deleted: false,
  };
}

function buildListingParts({ workspace, newScript }: SaveRequest, version: StoredVersion, hasPreprocessor: boolean): TransactionPart[] {
  const { hash, parentHashes, createdBy, createdAtMs } = version;
  const { content, schema, lock, modules, assets, ...listed } = newScript;
  const metadata = { hash, createdAtMs, createdBy };
  const note = newScript.deployment_message ? { message: newScript.deployment_message } : {};
  const value = { ...listed, ...(hasPreprocessor ? { has_preprocessor: true } : {}), ...metadata, parentHashes, archived: false };
  return [
    toPart(write.put({ ...scriptListingObject.key(workspace, newScript.path), value })),
    toPart(write.put({ ...scriptHistoryObject.key(workspace, newScript.path, createdAtMs, hash), value: { ...metadata, ...note } })),
  ];
}
