import { v7 as uuidv7 } from "uuid";
import { actions } from "../../../contract/access/actions.ts";
import { defined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { limits } from "../../../contract/limits.ts";
import type { NewFlow } from "../../../contract/routes/flows/flows.ts";
import { describeMissingMembers } from "../../../core/approvals/groups.ts";
import { describeUnknownPrincipals } from "../../../core/approvals/principals.ts";
import { readRequiredGroups, toGroupPrincipals } from "../../../core/approvals/rules.ts";
import { listNestedModules, mayRequireApproval } from "../../../core/flows/scopes.ts";
import {
  computeFlowHash,
  createVersionId,
  type FlowBuild,
  flowBodyObject,
  flowHashObject,
  flowHistoryObject,
  flowListingObject,
  flowVersionObject,
  type RunnableFlow,
  type StoredFlow,
} from "../../../core/flows/version.ts";
import { firstDueMs } from "../../../core/jobs/record/lifecycle.ts";
import { listHiddenArgs } from "../../../core/jobs/record/preview.ts";
import { readSettings } from "../../../core/jobs/record/run-settings.ts";
import type { ExpectedVersions } from "../../../core/objects/version.ts";
import { write } from "../../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../../core/people/actor.ts";
import { accessObject, noAccess } from "../../../core/permissions/access.ts";
import { chooseSchema, toConcurrencyRule } from "../../../core/scripts/version.ts";
import { toIndexedFlow } from "../../../core/search/flow-source.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import { describeFormProblem } from "../../approvals/decisions/check-payload.ts";
import { loadPrincipalIdentities } from "../../approvals/gates/principals.ts";
import { applyOnBehalfOf, resolveOnBehalfOf } from "../../identity/on-behalf.ts";
import { permit, permitConcurrencyKey } from "../../identity/permit.ts";
import { prepareJob, sendJob } from "../../jobs/queue/enqueue.ts";
import { changeObject, createObject } from "../../objects/save-object.ts";
import { storeVersionBody, VERSION_ITEM_BYTES } from "../../objects/version-body.ts";
import { type TransactionPart, toPart } from "../../outbox/commit-parts.ts";
import { buildIndexParts } from "../../search/index-parts.ts";
import type { Uses } from "../../uses.ts";
import { flowKind, flowObjectKey } from "./load.ts";

/**
 * Saves the first version of a flow, or a new version of the flow `at` a path, which the request may rename, and returns the path. Head,
 * version, listing, history, event and the `flowdependencies` job are written in one transaction. Throws the `flow.*` and `path.noFolder`
 * errors, and `object.versionChanged`.
 */
export async function saveFlow(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  { at, expected, ...caller }: WorkspaceCaller & { at?: string; expected?: ExpectedVersions | undefined },
  flow: NewFlow,
): Promise<string> {
  const { actor, workspace } = caller;
  const { path } = flow;
  const prepare = async () => {
    permitConcurrencyKey(actor, workspace, path, flow.value.concurrency_key);
    const request = applyOnBehalfOf(actor, workspace, flow);
    return (before: FlowHead | undefined, archived: FlowHead | undefined) => buildVersion(deps, caller, request, before ?? archived);
  };
  const { job } =
    at === undefined
      ? await createObject(deps, savedFlowKind, { ...caller, path }, prepare)
      : await changeObject(deps, savedFlowKind, { ...caller, path: at, to: path, expected }, prepare);
  // The flow is saved even if the message cannot be sent: housekeeping finds the job by its due time and sends it again.
  await sendJob(deps, job).catch((error: unknown) =>
    reportFailure("The build could not be sent to the queue; housekeeping sends it", error, { job: job.id }),
  );
  return path;
}

type FlowHead = Omit<RunnableFlow, "build">;

/** A save is not repeated after a conflict, because its build is prepared already. */
const savedFlowKind = { ...flowKind, save: actions.saveFlow, maxTries: 1 };

/** Builds a version of a flow. `existing`: the flow that it changes, also at another path, or the archived one that leaves its path to it. */
async function buildVersion(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  request: NewFlow,
  existing: FlowHead | undefined,
) {
  const { path, deployment_message: message } = request;
  const renamed = existing && existing.path !== path ? existing : undefined;
  if (renamed)
    permit(actor, actions.saveFlow, { workspace, path: renamed.path }, () => new SvcError("flow.notFound", { path: renamed.path }));
  await checkApprovalSteps(deps.objects, workspace, request);

  const atMs = deps.nowMs();
  const version = createVersionId(atMs, Math.random());
  const stored: StoredFlow = {
    sent: request,
    version,
    hash: computeFlowHash(workspace, version, request),
    createdBy: actor.username,
    createdAtMs: atMs,
  };
  const json = JSON.stringify(stored);
  if (Buffer.byteLength(json) > limits.flowBytes) throw new SvcError("flow.tooLarge", { limitBytes: limits.flowBytes });
  const inputSchema = request.validate_input ? await loadInputSchema(request) : undefined;
  const value = {
    ...buildRunnable(workspace, stored, await resolveOnBehalfOf(deps, actor, workspace, request)),
    ...defined({ inputSchema, hiddenArgs: listHiddenArgs(request.schema) }),
  };
  const job = await prepareJob(deps, {
    actor,
    workspace,
    kind: "flowdependencies",
    path,
    hash: stored.hash,
    flow: { version, execution: 0 },
    args: {},
    timeoutS: 600,
    id: uuidv7(),
  });
  const build: FlowBuild = { state: "pending", job: job.id };
  const asVersion = String(version);
  const body = await storeVersionBody(deps, { s3Key: flowObjectKey(workspace, version), json, itemBytes: VERSION_ITEM_BYTES });
  return {
    value,
    version: { version: asVersion, build },
    parts: [
      toPart(write.put({ ...flowVersionObject.key(workspace, version), value, version: asVersion, build }, "absent")),
      toPart(write.put({ ...flowHashObject.key(workspace, stored.hash), value: { version } }, "absent")),
      toPart(write.put({ ...flowBodyObject.key(workspace, version), value: body }, "absent")),
      ...buildListingParts(workspace, stored),
      ...buildIndexParts({ workspace, kind: "flow", before: renamed && { path: renamed.path }, after: toIndexedFlow(stored) }),
      // The old path can no longer be run, but its versions and history remain.
      ...(renamed ? [toPart(write.remove(flowListingObject.key(workspace, renamed.path)))] : []),
      toPart({ raw: { Put: deps.jobs.createParams(job, firstDueMs(job.createdAtMs)) } }),
    ],
    event: {
      type: existing ? ("UpdateFlow" as const) : ("CreateFlow" as const),
      data: {
        path,
        ...(renamed ? { old_path: renamed.path } : {}),
        version,
        ...(message ? { deployment_message: message } : {}),
      },
    },
    sent: undefined,
    job,
  };
}

/**
 * Rejects a form that is not a valid schema, a fixed rule that names an approver who does not exist, and a step that requires more approvals than
 * its fixed groups have members: otherwise a run would fail when it requests approval. Throws `body.shape`.
 */
async function checkApprovalSteps(objects: ObjectStore, workspace: string, { value }: NewFlow): Promise<void> {
  const approvalSteps = listNestedModules(value.modules).filter(mayRequireApproval);
  if (approvalSteps.length === 0) return;
  const rules = approvalSteps.map((module) => ({ module, ...readFixedApprovers(module) }));
  const named = rules.flatMap(({ principals }) => principals);
  const [found, identities] = await Promise.all([
    objects.get(accessObject.key(workspace)),
    loadPrincipalIdentities({ objects }, workspace, named),
  ]);
  const access = found ? accessObject.parse(found) : noAccess;
  const issues = await Promise.all(
    rules.map(async ({ module, groups, principals, problem }) => {
      const reasons = [
        problem,
        describeUnknownPrincipals(principals, identities),
        describeMissingMembers(access, groups, module.suspend?.required_events ?? 0),
        await describeFormProblem(module),
      ];
      return reasons.flatMap((reason) => (reason === undefined ? [] : [{ path: `the step ${module.id}`, reason, step: module.id }]));
    }),
  );
  if (issues.flat().length > 0) throw new SvcError("body.shape", { issues: issues.flat() });
}

/** Returns the approvers of a step that the text of a flow contains. Computed ones are known only when a run requests approval. */
function readFixedApprovers({ value, suspend }: FlowModule): { groups: string[]; principals: string[]; problem?: string | undefined } {
  const consent = value.type === "consentgate" ? [...value.approvers, ...(value.escalate?.approvers ?? [])] : [];
  const transform = suspend?.user_groups_required;
  if (!suspend || transform?.type !== "static" || value.type === "consentgate") return { groups: [], principals: consent };
  const { groups = [], problem } = readRequiredGroups(suspend, transform.value);
  return { groups, principals: toGroupPrincipals(groups), problem };
}

/** Throws `body.shape` for a check of the inputs without a usable schema. */
async function loadInputSchema({ schema }: NewFlow) {
  const { requireInputSchema } = await import("../../../core/resources/input-schema.ts");
  return requireInputSchema(chooseSchema(schema, undefined));
}

function buildRunnable(
  workspace: string,
  { sent, version, hash }: StoredFlow,
  behalf: RunnableFlow["onBehalfOf"],
): Omit<RunnableFlow, "build"> {
  const { value } = sent;
  return {
    workspace,
    path: sent.path,
    version,
    hash,
    ...readSettings("flow", { ...sent, priority: sent.priority ?? value.priority }),
    tag: sent.tag ?? "flow",
    ...(value.concurrent_limit ? { concurrency: toConcurrencyRule(value, value.concurrent_limit, sent.path) } : {}),
    ...defined({ onBehalfOf: behalf }),
    ...(typeof value.delete_after_secs === "number" ? { deleteAfterS: value.delete_after_secs } : {}),
    ...(value.preprocessor_module ? { preprocessor: true } : {}),
    archived: false,
  };
}

function buildListingParts(workspace: string, { sent, version, hash, createdBy, createdAtMs }: StoredFlow): TransactionPart[] {
  const { value: _, schema, deployment_message: message, ...listed } = sent;
  const metadata = { version, hash, createdAtMs, createdBy };
  return [
    toPart(write.put({ ...flowListingObject.key(workspace, sent.path), value: { ...listed, ...metadata, archived: false } })),
    toPart(write.put({ ...flowHistoryObject.key(workspace, sent.path, version), value: { ...metadata, ...(message ? { message } : {}) } })),
  ];
}
