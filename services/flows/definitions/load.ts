import { SvcError } from "../../../contract/errors.ts";
import { type FlowIndex, indexFlow } from "../../../core/flows/scopes.ts";
import {
  type FlowPlan,
  flowBodyObject,
  flowHeadObject,
  flowPlanSchema,
  flowVersionObject,
  type RunnableFlow,
  type StoredFlow,
} from "../../../core/flows/version.ts";
import { readStoredBody } from "../../../core/objects/stored-body.ts";
import type { StoredObject } from "../../../core/objects/write.ts";
import { parseRecord } from "../../../core/records/record-format.ts";
import { type ObjectCaller, permit } from "../../identity/permit.ts";
import type { PathKind } from "../../objects/path-kind.ts";
import type { Uses } from "../../uses.ts";

/** Returns a stored flow head or version head; `undefined` if there is none. */
export function parseFlow(found: StoredObject | undefined): RunnableFlow | undefined {
  return found && (flowHeadObject.holds(found) ? flowHeadObject : flowVersionObject).parse(found);
}

/** The heads of flows without their builds, which are a separate field of the item. Routes have checked the right to change them. */
export const flowKind: PathKind<Omit<RunnableFlow, "build">> = {
  key: flowHeadObject.key,
  parse: (stored) => {
    const { build: _, ...flow } = flowHeadObject.parse(stored);
    return flow;
  },
  permissions: "flow",
  save: undefined,
  isArchived: ({ archived }) => archived,
  exists: (path) => new SvcError("flow.pathTaken", { path }),
  notFound: (path) => new SvcError("flow.notFound", { path }),
  changed: (path) => new SvcError("flow.changedMeanwhile", { path }),
  buildCopies: undefined,
};

/** Returns the newest version at a path. Throws `flow.notFound`, also for an archived flow. */
export function requireNewestFlow(found: StoredObject | undefined, path: string): RunnableFlow {
  const flow = parseFlow(found);
  if (!flow || flow.archived) throw new SvcError("flow.notFound", { path });
  return flow;
}

/** Returns a stored version. Throws `flow.versionNotFound`. */
export function requireFlowVersion(found: StoredObject | undefined, version: number): RunnableFlow {
  const flow = parseFlow(found);
  if (!flow) throw new SvcError("flow.versionNotFound", { version: String(version) });
  return flow;
}

/** Returns a version for which the caller may perform the action. Throws `flow.versionNotFound` and `auth.forbidden`. */
export async function findPermittedFlow(
  { objects }: Uses<"objects">,
  { actor, action, workspace }: ObjectCaller,
  version: number,
): Promise<RunnableFlow> {
  const flow = requireFlowVersion(await objects.get(flowVersionObject.key(workspace, version)), version);
  permit(actor, action, { workspace, path: flow.path }, () => new SvcError("flow.versionNotFound", { version: String(version) }));
  return flow;
}

/** The S3 key of a flow's fields that are too large for an item. */
export const flowObjectKey = (workspace: string, version: number) => `flows/${workspace}/${version}.json`;

/** Loads a version's saved fields. Throws `flow.versionNotFound` and `UnreadableRecordError`. */
export async function loadFlow({ objects, storage }: Uses<"objects" | "storage">, workspace: string, version: number): Promise<StoredFlow> {
  const found = await objects.get(flowBodyObject.key(workspace, version));
  if (!found) throw new SvcError("flow.versionNotFound", { version: String(version) });
  return (await readStoredBody(found, (s3Key) => storage.getObjectText(s3Key))) as StoredFlow;
}

export interface LoadedPlan extends FlowPlan {
  index: FlowIndex;
}

/** Plans are never changed, so a warm function reads each once. */
const plans = new Map<string, LoadedPlan>();
const MAX_PLANS = 50;

/** Loads the plan of a flow with an index of its modules. Throws `NoSuchKey` if it does not exist. */
export async function loadPlan({ storage }: Uses<"storage">, key: string): Promise<LoadedPlan> {
  const cachedPlan = plans.get(key);
  if (cachedPlan) return cachedPlan;
  const plan = parseRecord(flowPlanSchema, { parent: "the bucket", ref: key, json: await storage.getObjectText(key) });
  // Ids may be any names, including `toString`, so the lookup object has no prototype.
  const scripts = Object.assign(Object.create(null) as FlowPlan["scripts"], plan.scripts);
  const loaded = { ...plan, scripts, index: indexFlow(plan.value) };
  if (plans.size >= MAX_PLANS) plans.clear();
  plans.set(key, loaded);
  return loaded;
}

/** Loads a plan as `loadPlan` does; `undefined` if it was deleted with its flow or erased with its job. */
export async function findPlan(deps: Uses<"storage">, key: string): Promise<LoadedPlan | undefined> {
  try {
    return await loadPlan(deps, key);
  } catch (error) {
    if (error instanceof Error && error.name === "NoSuchKey") return undefined;
    throw error;
  }
}
