import { randomUUID } from "node:crypto";
import { findRunner, type RunnerLanguage, scriptLanguages } from "../../../../contract/languages.ts";
import { newFlowSchema } from "../../../../contract/routes/flows/flows.ts";
import { newScriptSchema } from "../../../../contract/routes/stored/script.ts";
import { flowHeadObject } from "../../../../core/flows/version.ts";
import { repeatedCallObject } from "../../../../core/jobs/repeated-call.ts";
import { scriptHeadObject } from "../../../../core/scripts/version.ts";
import { SYNC_LIMIT } from "../../../../core/settings/instance.ts";
import { runAudited } from "../../../../services/audit/audit.ts";
import { requireNewestFlow } from "../../../../services/flows/definitions/load.ts";
import { saveFlow } from "../../../../services/flows/definitions/save.ts";
import { createFolder } from "../../../../services/folders/folders.ts";
import { createToken } from "../../../../services/identity/tokens/tokens.ts";
import type { IdempotencyKey } from "../../../../services/jobs/queue/create-job-record.ts";
import { buildFlowJobFields, buildScriptJobFields, enqueueJob, type NewJob } from "../../../../services/jobs/queue/enqueue.ts";
import { getWebhookSecret } from "../../../../services/notifications/webhook-secret.ts";
import { createResource } from "../../../../services/resources/save.ts";
import { createResourceType } from "../../../../services/resources/types.ts";
import { createScript } from "../../../../services/scripts/create.ts";
import { requireNewestScript } from "../../../../services/scripts/load.ts";
import { setGlobalSetting } from "../../../../services/settings/instance.ts";
import { setWorkspaceSetting } from "../../../../services/settings/workspace.ts";
import { createVariable } from "../../../../services/variables/save.ts";
import { addMember } from "../../../../services/workspaces/add-member.ts";
import { addToGroup, createGroup } from "../../../../services/workspaces/groups.ts";
import { inviteUser } from "../../../../services/workspaces/invites.ts";
import type { World } from "../world.ts";
import { addEndpoint } from "../world-events.ts";
import { gates, playExecutions } from "../world-flows.ts";
import { addWorkspace, work } from "../world-jobs.ts";
import { anAdmin as ann } from "../world-people.ts";
import { readTables, type StoredTables, unwrapDataKeys } from "./stored-state.ts";

/** One object of every kind, and what a test must know about them. */
export interface StoredObjects extends StoredTables {
  token: string;
  webhookSecret: string;
  /** The paths of a built script in each language. */
  scripts: Partial<Record<RunnerLanguage, string>>;
  idempotency: IdempotencyKey & { job: string };
  /** The job whose result is cached. */
  cached: string;
  /** Two jobs of a group with one slot: the first one holds the slot. */
  limited: [string, string];
  /** A flow whose gate is open, with a notice. */
  waiting: string;
}

const CONTENTS: Partial<Record<RunnerLanguage, string>> = {
  python3: "def main(x=None, password=None, db=None):\n    return x\n",
  bash: 'x="$1"\necho "$x"\n',
  go: "package inner\n\nfunc main(x string) (string, error) {\n\treturn x, nil\n}\n",
};
const TYPESCRIPT = "export async function main(x?: string, password?: string, db?: object) {\n  return x;\n}\n";

/** Saves and builds a script in each language that has a runner. */
async function saveScripts(world: World): Promise<StoredObjects["scripts"]> {
  const { deps, workspace } = world;
  const scripts: StoredObjects["scripts"] = {};
  for (const language of scriptLanguages) {
    const content = CONTENTS[language as RunnerLanguage] ?? TYPESCRIPT;
    const runner = findRunner(language, content);
    if (!runner || scripts[runner]) continue;
    const path = `f/ops/in_${runner}`;
    const script = { path, summary: `In ${runner}`, description: "Returns its argument", content, language, schema: { type: "object" } };
    await createScript(deps, { actor: ann, workspace }, newScriptSchema.parse(script));
    scripts[runner] = path;
  }
  await work(world);
  return scripts;
}

async function runScript(world: World, path: string, more: Partial<NewJob> = {}): Promise<string> {
  const { deps, workspace } = world;
  const runnable = requireNewestScript(await deps.objects.get(scriptHeadObject.key(workspace, path)), path);
  const job = { ...buildScriptJobFields(runnable), actor: ann, workspace, kind: "script" as const, args: { x: "stored" }, ...more };
  return (await enqueueJob(deps, job)).id;
}

/** Two jobs of a group with one slot. The first one is claimed by a worker that dies. */
async function fillConcurrencyGroup(world: World, path: string): Promise<[string, string]> {
  const concurrency = { key: "one-at-a-time", limit: 1 };
  world.answers.run = async () => ({ kind: "unknown", reason: "The connection broke." });
  const first = await runScript(world, path, { concurrency });
  await work(world);
  const second = await runScript(world, path, { concurrency });
  await work(world);
  return [first, second];
}

/** Stores one object of every kind through the use cases that make them. The world's workspace must be empty. */
export async function writeStoredObjects(world: World): Promise<StoredObjects> {
  const { deps, workspace, clock } = world;
  const caller = { actor: ann, workspace };
  world.answers.build = async () => ({ ok: true, lock: "", sha256: "0".repeat(64), bytes: 1, log: "built\n" });
  await addWorkspace(world);
  await addEndpoint(world);
  await createFolder(deps, ann, workspace, { name: "ops", summary: "Operations", owners: ["u/ann"] });
  await addMember(deps, workspace, { email: "bob@example.com", username: "bob", is_admin: false, operator: true }, { inherits: false });
  await createGroup(deps, caller, { name: "team", summary: "The team" });
  for (const username of ["ann", "bob"]) await addToGroup(deps, { actor: ann, workspace }, "team", username);
  await inviteUser(deps, workspace, { email: "cleo@example.com", is_admin: false, operator: false });
  const token = await createToken(deps, ann, { label: "stored", workspace_id: workspace });
  await createToken(deps, ann, { label: "expiring", expiration: new Date(clock.nowMs + 60 * 24 * 3600_000).toISOString() });
  await setGlobalSetting(deps, SYNC_LIMIT, 7);
  await setWorkspaceSetting(deps, workspace, "approvals", { every_get_counts: true });
  await createVariable(deps, caller, { path: "f/ops/plain", value: "plain text", is_secret: false, description: "Plain" });
  await createVariable(deps, caller, { path: "f/ops/secret", value: "s3cret text", is_secret: true, description: "Secret" });
  const schema = { type: "object", properties: { host: { type: "string" } }, required: ["host"] };
  await createResourceType(deps, { actor: ann, workspace }, { name: "c_store", schema, description: "A store" });
  const value = { host: "example.com", password: "$var:f/ops/secret" };
  await createResource(deps, caller, { path: "f/ops/store", value, resource_type: "c_store", description: "The store" });
  const audited = { workspace, username: "ann", operation: "variables.create", action_kind: "Created" as const, resource: "f/ops/plain" };
  await runAudited(deps, audited, async () => undefined);
  const webhookSecret = await getWebhookSecret(deps, { actor: ann, workspace, token: "", operation: "read" });

  const scripts = await saveScripts(world);
  const path = scripts.bun ?? "";
  const modules = [
    { id: "a", value: { type: "script", path, input_transforms: { x: { type: "javascript", expr: "flow_input.x" } } } },
    { id: "b", value: { type: "identity" }, suspend: { required_events: 1 } },
    { id: "c", value: { type: "identity" } },
  ];
  const flow = { path: "f/ops/flow", summary: "Asks", description: "", value: { modules }, schema: { type: "object" } };
  await saveFlow(deps, caller, newFlowSchema.parse(flow));
  await work(world);
  const runnable = requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, flow.path)), flow.path);
  if (runnable.build.state !== "ready") throw new Error(`The flow is ${runnable.build.state}.`);
  const { plan } = runnable.build;
  const { id: waiting } = await enqueueJob(deps, { ...buildFlowJobFields(runnable), actor: ann, workspace, args: { x: "in" } });
  await work(world);
  await playExecutions(world);
  if (!(await gates(world, waiting))[0]?.opened) throw new Error("The gate has not opened.");

  const once = { key: repeatedCallObject.key(`stored-${randomUUID()}`), fingerprint: "same", retentionMs: 24 * 3600_000 };
  const repeated = await runScript(world, path, { idempotencyKey: once });
  const cached = await runScript(world, path, { cacheTtlS: 3600, args: { x: "cached" } });
  await work(world);
  const limited = await fillConcurrencyGroup(world, path);
  const tables = await readTables();
  return {
    atMs: clock.nowMs,
    workspace,
    ...tables,
    dataKeys: await unwrapDataKeys(world, tables.objects),
    files: { [plan]: await deps.storage.getObjectText(plan) },
    token,
    webhookSecret,
    scripts,
    idempotency: { ...once, job: repeated },
    cached,
    limited,
    waiting,
  };
}
