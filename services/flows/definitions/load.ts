import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import type { Storage } from "../../../aws/s3/storage.ts";
import { SvcError } from "../../../contract/errors.ts";
import { type FlowIndex, indexFlow } from "../../../core/flows/scopes.ts";
import { type FlowPlan, flowPlanSchema, type RunnableFlow, runnableFlowSchema, type StoredFlow } from "../../../core/flows/version.ts";
import { keys } from "../../../core/objects/keys.ts";
import type { StoredObject } from "../../../core/objects/write.ts";

export interface LoadFlowDeps {
  objects: ObjectTable;
  storage: Storage;
}

export function parseFlow(found: StoredObject | undefined): RunnableFlow | undefined {
  return found ? runnableFlowSchema.parse({ ...(found.value as object), build: found.build }) : undefined;
}

/** The newest version at a path. Throws `flow.notFound`, for archived ones as well. */
export function requireNewestFlow(found: StoredObject | undefined, path: string): RunnableFlow {
  const flow = parseFlow(found);
  if (!flow || flow.archived) throw new SvcError("flow.notFound", { path });
  return flow;
}

/** Throws `flow.versionNotFound`. */
export function requireFlowVersion(found: StoredObject | undefined, version: number): RunnableFlow {
  const flow = parseFlow(found);
  if (!flow) throw new SvcError("flow.versionNotFound", { version: String(version) });
  return flow;
}

/** Where a flow's fields stand in S3 when they are too large for an item. */
export const flowObjectKey = (workspace: string, version: number) => `flows/${workspace}/${version}.json`;

/** A version's fields as they were saved. Throws `flow.versionNotFound`. */
export async function loadFlow({ objects, storage }: LoadFlowDeps, workspace: string, version: number): Promise<StoredFlow> {
  const found = await objects.get(keys.flowBody(workspace, version));
  if (!found) throw new SvcError("flow.versionNotFound", { version: String(version) });
  const { json, s3Key } = found.value as { json?: string; s3Key?: string };
  return JSON.parse(json ?? (await storage.getText(s3Key ?? ""))) as StoredFlow;
}

export interface LoadedPlan extends FlowPlan {
  index: FlowIndex;
}

/** Plans are written once under their names: a warm function reads each once. */
const plans = new Map<string, LoadedPlan>();
const PLANS_MOST = 50;

export async function loadPlan({ storage }: Pick<LoadFlowDeps, "storage">, key: string): Promise<LoadedPlan> {
  const known = plans.get(key);
  if (known) return known;
  const plan = flowPlanSchema.parse(JSON.parse(await storage.getText(key)));
  // Ids are any names, `toString` too: only what was built is found.
  const scripts = Object.assign(Object.create(null) as FlowPlan["scripts"], plan.scripts);
  const loaded = { ...plan, scripts, index: indexFlow(plan.value) };
  if (plans.size >= PLANS_MOST) plans.clear();
  plans.set(key, loaded);
  return loaded;
}

/** The same; `undefined` when it is gone with its flow, or was erased with its job. */
export async function findPlan(deps: Pick<LoadFlowDeps, "storage">, key: string): Promise<LoadedPlan | undefined> {
  try {
    return await loadPlan(deps, key);
  } catch (error) {
    if (error instanceof Error && error.name === "NoSuchKey") return undefined;
    throw error;
  }
}
