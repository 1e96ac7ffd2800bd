import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { approvalEntryObject } from "../../core/approvals/record.ts";
import { outboxEventObject } from "../../core/events/outbox-event.ts";
import { flowHeadObject } from "../../core/flows/version.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { SYNC_LIMIT } from "../../core/settings/instance.ts";
import { type StoredObjects, writeStoredObjects } from "../../test/support/use-cases/stored/stored-objects.ts";
import { loadStoredState } from "../../test/support/use-cases/stored/stored-state.ts";
import { newWorld, success, type World } from "../../test/support/use-cases/world.ts";
import { approveGate, gates, playExecutions } from "../../test/support/use-cases/world-flows.ts";
import { passTime, work } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin as ann } from "../../test/support/use-cases/world-people.ts";
import { findAuditEntries } from "../audit/audit.ts";
import { requireNewestFlow } from "../flows/definitions/load.ts";
import { getFlow, listFlowHistory, listFlows } from "../flows/definitions/read.ts";
import { listFolders } from "../folders/folders.ts";
import { authenticate } from "../identity/authenticate.ts";
import { listTokens } from "../identity/tokens/tokens.ts";
import { listPersons } from "../identity/users.ts";
import { buildFlowJobFields, buildScriptJobFields, enqueueJob, type NewJob } from "../jobs/queue/enqueue.ts";
import { loadJson } from "../jobs/values/values.ts";
import { getWebhookSecret } from "../notifications/webhook-secret.ts";
import { listResources } from "../resources/read.ts";
import { listResourceTypes } from "../resources/types.ts";
import { requireNewestScript } from "../scripts/load.ts";
import { getScript, listScriptHistory, listScripts } from "../scripts/read.ts";
import { listGlobalSettings } from "../settings/instance.ts";
import { getWorkspaceSettings } from "../settings/workspace.ts";
import { getVariable, listVariables } from "../variables/read.ts";
import { getGroup } from "../workspaces/groups.ts";
import { listInvites } from "../workspaces/invites.ts";
import { listMembers } from "../workspaces/members.ts";
import { listAllWorkspaces } from "../workspaces/workspaces.ts";

const fileOf = (release: string) => path.join(import.meta.dirname, `../../test/fixtures/state/${release}/objects.json`);

/** The release that the folder is named after writes this file once. Later releases read it and never write it (test/fixtures/state/README.md). */
if (process.env["SVC_WRITE_STATE"] === "1") {
  it("the objects of this release are written", async () => {
    const world = await newWorld();
    world.answers.run = async (request) => success((request.args as { x?: unknown }).x ?? null);
    writeFileSync(fileOf("0.3"), `${JSON.stringify(await writeStoredObjects(world), null, 1)}\n`);
  });
}

const everything = () => true;
const viewer = { readable: everything, starred: new Set<string>() };

describe.each(["0.2", "0.3"])("with the objects that release %s stored", (release) => {
  let world: World;
  let state: StoredObjects;
  let workspace: string;

  beforeAll(async () => {
    state = JSON.parse(readFileSync(fileOf(release), "utf8")) as StoredObjects;
    workspace = state.workspace;
    world = await newWorld();
    world.answers.run = async (request) => success((request.args as { x?: unknown }).x ?? null);
    await loadStoredState(world, state);
  });

  async function endOf(id: string): Promise<unknown> {
    const job = await world.deps.jobs.get(id);
    if (job?.state !== "succeeded") throw new Error(`Job ${id} is ${job?.state}.`);
    return loadJson(world.deps, job, job.result);
  }

  async function run(at: string, more: Partial<NewJob> = {}): Promise<string> {
    const { deps } = world;
    const runnable = requireNewestScript(await deps.objects.get(scriptHeadObject.key(workspace, at)), at);
    const job = { ...buildScriptJobFields(runnable), actor: ann, workspace, kind: "script" as const, args: { x: "now" }, ...more };
    const { id } = await enqueueJob(deps, job);
    await work(world);
    return id;
  }

  it("variables are read, a plain one and a secret one", async () => {
    const reader = { actor: ann, workspace, token: "", operation: "variables.read" };
    const shown = { decrypted: true, encrypted: false };
    expect((await getVariable(world.deps, reader, "f/ops/plain", shown)).json).toMatchObject({ value: "plain text", is_secret: false });
    expect((await getVariable(world.deps, reader, "f/ops/secret", shown)).json).toMatchObject({ value: "s3cret text", is_secret: true });
    const listed = await listVariables(world.deps, workspace, {}, everything);
    expect(listed.map((variable) => variable.path)).toEqual(["f/ops/plain", "f/ops/secret"]);
  });

  it("resources and their types are listed", async () => {
    expect(await listResources(world.deps, workspace, {}, everything)).toMatchObject([{ path: "f/ops/store", resource_type: "c_store" }]);
    const types = await listResourceTypes(world.deps, workspace);
    expect(types.find(({ name }) => name === "c_store")).toMatchObject({ description: "A store", schema: { required: ["host"] } });
  });

  it("people, their rights and their token are read", async () => {
    const { deps } = world;
    expect((await listPersons(deps)).map(({ email }) => email)).toEqual(["ann@example.com", "bob@example.com"]);
    expect((await listMembers(deps, { actor: ann, workspace })).map(({ username }) => username).sort()).toEqual(["ann", "bob"]);
    expect(await getGroup(deps, workspace, "team")).toMatchObject({ members: ["ann", "bob"], summary: "The team" });
    expect(await listFolders(deps, ann, workspace)).toMatchObject([{ name: "ops", owners: ["u/ann"] }]);
    expect(await listInvites(deps, workspace)).toMatchObject([{ email: "cleo@example.com" }]);
    const { actor } = await authenticate({ ...deps, publicKey: async () => undefined }, state.token, { workspace });
    expect(actor).toMatchObject({ kind: "person", username: "ann", superAdmin: true, workspace });
    expect(await listTokens(deps, ann, {})).toContainEqual(expect.objectContaining({ label: "stored" }));
  });

  it("the workspace, its settings and those of the instance are read", async () => {
    const { deps } = world;
    expect(await listAllWorkspaces(deps)).toMatchObject([{ id: workspace, owner: "ann@example.com" }]);
    expect(await getWorkspaceSettings(deps, workspace)).toMatchObject({ workspace_id: workspace, approvals: { every_get_counts: true } });
    expect(await listGlobalSettings(deps)).toEqual([{ name: SYNC_LIMIT, value: 7, version: expect.any(String) as unknown }]);
    expect(await getWebhookSecret(deps, { actor: ann, workspace, token: "", operation: "read" })).toBe(state.webhookSecret);
  });

  it("a script in each language is read and runs its build, with references to a variable and a resource", async () => {
    const { deps } = world;
    const listed = await listScripts(deps, workspace, {}, viewer);
    expect(listed.map((script) => script.path).sort()).toEqual(Object.values(state.scripts).sort());
    for (const at of Object.values(state.scripts)) {
      const script = await getScript(deps, workspace, at);
      expect(script).toMatchObject({ path: at, description: "Returns its argument" });
      expect(await listScriptHistory(deps, workspace, at)).toHaveLength(1);
      const args = { x: `from ${at}`, password: "$var:f/ops/secret", db: "$res:f/ops/store" };
      expect(await endOf(await run(at, { args }))).toBe(`from ${at}`);
      expect(world.runs.at(-1)).toMatchObject({
        args: { x: `from ${at}`, password: "s3cret text", db: { host: "example.com", password: "s3cret text" } },
      });
      expect(JSON.stringify(world.runs.at(-1))).toContain(`artefacts/${workspace}/`);
    }
  });

  it("a flow is read and runs", async () => {
    const { deps } = world;
    expect(await getFlow(deps, workspace, "f/ops/flow")).toMatchObject({ path: "f/ops/flow", summary: "Asks" });
    expect(await listFlows(deps, workspace, {}, viewer)).toMatchObject([{ path: "f/ops/flow" }]);
    expect(await listFlowHistory(deps, workspace, "f/ops/flow")).toHaveLength(1);
    const runnable = requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, "f/ops/flow")), "f/ops/flow");
    const { id } = await enqueueJob(deps, { ...buildFlowJobFields(runnable), actor: ann, workspace, args: { x: "from a flow" } });
    await work(world);
    await playExecutions(world);
    expect(world.runs.at(-1)).toMatchObject({ args: { x: "from a flow" } });
    expect(await gates({ ...world, workspace }, id)).toMatchObject([{ opened: expect.anything() }]);
  });

  it("an open gate has its notice, and an approval is recorded", async () => {
    const { deps } = world;
    const notices = noticeObject.parseReadable(await deps.objects.list(noticeObject.partitionKey(workspace)));
    const ofFlow = notices.filter((notice) => "root" in notice && notice.root === state.waiting);
    expect(ofFlow).toMatchObject([{ what: "opened", module: "b", flowPath: "f/ops/flow" }]);
    const [gate] = await gates(world, state.waiting);
    if (!gate) throw new Error("There is no gate.");
    await approveGate(world, gate, { answer: 42 });
    expect((await gates(world, state.waiting))[0]).toMatchObject({ decision: { outcome: "approved" } });
    expect(world.resumed).toMatchObject([{ token: gate.token }]);
    expect(await deps.objects.list(approvalEntryObject.partitionKey(workspace), { beginsWith: state.waiting })).toHaveLength(1);
  });

  it("the audit log and the outbox are read", async () => {
    const { deps } = world;
    expect((await findAuditEntries(deps, workspace, {})).entries).toContainEqual(
      expect.objectContaining({ operation: "variables.create" }),
    );
    const events = (await deps.objects.list(outboxEventObject.partitionKey(workspace))).map(
      ({ value }) => (value as { type: string }).type,
    );
    expect(events).toEqual(expect.arrayContaining(["CreateVariable", "CreateResource", "CreateScript", "CreateFlow"]));
  });

  it("a repeated call finds the job of the first one, and a cached result is used", async () => {
    const { idempotency, scripts } = state;
    const at = scripts.bun ?? "";
    const { key, fingerprint, retentionMs, job } = idempotency;
    expect(await run(at, { idempotencyKey: { key, fingerprint, retentionMs } })).toBe(job);
    const ran = world.runs.length;
    const id = await run(at, { cacheTtlS: 3600, args: { x: "cached" } });
    expect(await endOf(id)).toBe("cached");
    expect(await world.deps.jobs.get(id)).toMatchObject({ cachedFrom: state.cached });
    expect(world.runs).toHaveLength(ran);
  });

  it("the jobs of a concurrency group both run, one after the other", async () => {
    const [first, second] = state.limited;
    expect((await world.deps.jobs.get(first))?.state).toBe("running");
    expect((await world.deps.jobs.get(second))?.state).toBe("queued");
    await passTime(world, 6);
    expect([await endOf(first), await endOf(second)]).toEqual(["stored", "stored"]);
  });
});
