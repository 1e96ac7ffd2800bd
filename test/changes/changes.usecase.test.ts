import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { EDGE_KEY_HEADER } from "../../contract/env.ts";
import { archiveQuery } from "../../contract/routes/sync/sync.ts";
import type { NoticePublisher } from "../../ports/senders.ts";
import { buildTokenWrites } from "../../services/identity/tokens/tokens.ts";
import { EDGE_KEY, lambdaContext, toGatewayEvent } from "../support/fuzz/gateway-event.ts";
import { ChangedCheckout } from "./changed-checkout.ts";
import { changes } from "./changes.ts";

let copy: ChangedCheckout;
let world: Awaited<ReturnType<typeof newWorldOfCopy>>;
beforeAll(async () => {
  copy = new ChangedCheckout(Object.values(changes).flatMap((example) => [...example.changes]));
  world = await newWorldOfCopy();
});
afterAll(() => {
  vi.unstubAllEnvs();
  copy.remove();
});

const loadUseCases = async () => ({
  ...(await copy.load<typeof import("../support/use-cases/world.ts")>("test/support/use-cases/world.ts")),
  ...(await copy.load<typeof import("../support/use-cases/world-events.ts")>("test/support/use-cases/world-events.ts")),
  ...(await copy.load<typeof import("../support/use-cases/world-jobs.ts")>("test/support/use-cases/world-jobs.ts")),
  ...(await copy.load<typeof import("../support/use-cases/world-people.ts")>("test/support/use-cases/world-people.ts")),
  ...(await copy.load<typeof import("../support/use-cases/world-flows.ts")>("test/support/use-cases/world-flows.ts")),
  ...(await copy.load<typeof import("../support/use-cases/world-notices.ts")>("test/support/use-cases/world-notices.ts")),
});

async function newWorldOfCopy() {
  const support = await loadUseCases();
  const created = await support.newWorld();
  await support.addWorkspace(created);
  return { ...support, world: created };
}

describe("the examples of docs/how-to-change.md", () => {
  it.each(Object.entries(changes))("%s changes no more files than the guide allows", (_, { files, changes: list }) => {
    expect(new Set(list.map(({ file }) => file)).size).toBeLessThanOrEqual(files);
  });

  it("a route replies, declares its error and writes its event", async () => {
    vi.stubEnv("SVC_BASE_URL", "https://svc.example");
    const { drafts } = await copy.load<typeof import("../../functions/people/drafts.ts")>("functions/people/drafts.ts");
    const { updateDraft } = await copy.load<typeof import("../../services/drafts/drafts.ts")>("services/drafts/drafts.ts");
    const { deps, workspace } = world.world;
    const actor = world.anAdmin;
    await world.addEndpoint(world.world);
    await updateDraft(deps, { actor, workspace }, { kind: "script", path: "u/ann/a", value: 1, syncedAtMs: undefined, force: false });
    const { handle } = drafts.find(({ route }) => route.name === "drafts.discardAll") ?? expect.fail("The route has no handler.");
    const call = { auth: { actor }, params: { workspace } } as unknown as Parameters<typeof handle>[0];
    expect(await handle(call)).toMatchObject({ statusCode: 200, body: '{"discarded":1}' });
    await expect(handle(call)).rejects.toMatchObject({ code: "draft.none" });
    expect((await world.listEvents(world.world)).map(({ type }) => type)).toContain("DiscardDrafts");
  });

  it("options of a run are stored with the job, passed to its runner and shown", async () => {
    const { payloadQuery } = await copy.load<typeof import("../../contract/routes/jobs/runs.ts")>("contract/routes/jobs/runs.ts");
    const { newScriptSchema } =
      await copy.load<typeof import("../../contract/routes/stored/script.ts")>("contract/routes/stored/script.ts");
    const { createScript } = await copy.load<typeof import("../../services/scripts/create.ts")>("services/scripts/create.ts");
    const { requireNewestScript } = await copy.load<typeof import("../../services/scripts/load.ts")>("services/scripts/load.ts");
    const { scriptHeadObject } = await copy.load<typeof import("../../core/scripts/version.ts")>("core/scripts/version.ts");
    const requests = "services/execution/requests";
    const { buildVersionRequest } = await copy.load<typeof import("../../services/execution/requests/version-request.ts")>(
      `${requests}/version-request.ts`,
    );
    const { startRun } = await copy.load<typeof import("../../services/execution/requests/start-run.ts")>(`${requests}/start-run.ts`);
    const { loadJobJson } = await copy.load<typeof import("../../services/jobs/read/read.ts")>("services/jobs/read/read.ts");
    const { deps, workspace, answers, runs } = world.world;
    answers.build = async () => ({ ok: true, lock: "", sha256: "0".repeat(64), bytes: 1, log: "" });
    const script = { path: "u/ann/toy", language: "bun", content: "export const main = () => 1;", summary: "", owner: "the author" };
    await createScript(deps, { actor: world.anAdmin, workspace }, newScriptSchema.parse(script));
    await world.work(world.world);

    const head = await deps.objects.get(scriptHeadObject.key(workspace, script.path));
    const target = { kind: "script" as const, version: requireNewestScript(head, script.path) };
    const payload = { method: "POST", headers: {}, query: {}, bytes: Buffer.from("{}") };
    const call = { actor: world.anAdmin, query: payloadQuery.parse({ note: "for the runner" }), payload };
    const { id } = await startRun(deps, await buildVersionRequest(deps, target, call, { includedHeaders: [] }));
    await world.work(world.world);

    const job = (await deps.jobs.get(id)) ?? expect.fail("The job is gone.");
    expect(job).toMatchObject({ state: "succeeded", note: "for the runner", owner: "the author" });
    expect(runs.at(-1)?.env).toMatchObject({ WM_NOTE: "for the runner", WM_OWNER: "the author" });
    expect(await loadJobJson(deps, job, {})).toMatchObject({ note: "for the runner", owner: "the author" });
  });

  it("a rule of who may resume a flow refuses those to whom it does not apply, with its reason", async () => {
    const suspend = { required_events: 1, members_only: true };
    const run = await world.startFlow(world.world, [{ id: "ask", value: { type: "identity" }, suspend }]);
    await world.playExecutions(world.world);
    const [gate] = await world.gates(world.world, run);
    if (!gate) throw new Error("The gate has not opened.");
    // A superadmin who is not a member.
    await expect(world.approveGate(world.world, gate, 1, { person: world.anAdmin })).rejects.toMatchObject({
      code: "approval.refused",
      details: { reason: "you are not a member of the workspace" },
    });
    await world.approveGate(world.world, gate, 1, { person: world.aReader(world.world.workspace, []) });
    await world.playExecutions(world.world);
    expect(await world.world.deps.jobs.get(run)).toMatchObject({ state: "succeeded" });
  });

  it("a channel of notices sends a notice to its receiver", async () => {
    const notice = await world.addNotice(world.world, { channel: "pager" as "chat" });
    await notice.read();
    expect(notice.sent.sort()).toEqual(["https://pager.example.com", "topic"]);
  });

  it("a channel of another service of AWS sends notices of gates and of runs", async () => {
    const notice = await world.addNotice(world.world, { channel: "bus" as "chat" });
    await notice.read();
    expect(notice.sent.sort()).toEqual(["bus", "topic"]);

    const { failureNoticeRuleSchema } = await copy.load<typeof import("../../contract/routes/workspaces/failure-notices.ts")>(
      "contract/routes/workspaces/failure-notices.ts",
    );
    const { listReceivers } = await copy.load<typeof import("../../core/outcome-handlers/failure-notices.ts")>(
      "core/outcome-handlers/failure-notices.ts",
    );
    expect(listReceivers([failureNoticeRuleSchema.parse({ bus: true })], [])).toEqual([{ channel: "bus", to: "bus" }]);

    vi.stubEnv("SVC_BASE_URL", "https://svc.example");
    const { deps } = await copy.load<typeof import("../../functions/deliver/deps.ts")>("functions/deliver/deps.ts");
    const publishers: Record<string, NoticePublisher> = deps.noticePublishers;
    expect(await publishers["bus"]?.publish("{}", { workspace: world.world.workspace })).toEqual({ ok: true });
  });

  it("a kind of modules has a result that the next module reads", async () => {
    const next = { id: "b", value: { type: "identity" } };
    const run = await world.startFlow(world.world, [{ id: "a", value: { type: "constant", value: { answer: 42 } } }, next]);
    await world.playExecutions(world.world);
    expect(await world.endOfFlow(world.world, run)).toMatchObject({ state: "succeeded", result: { answer: 42 } });
  });

  it("a kind of stored objects with behaviour is saved, visited, shared, archived, deleted, and erased with its workspace", async () => {
    const { loadFunctions } = await copy.load<typeof import("../support/fuzz/deployed-functions.ts")>(
      "test/support/fuzz/deployed-functions.ts",
    );
    const { changeAcl, getAcl } = await copy.load<typeof import("../../services/workspaces/acls.ts")>("services/workspaces/acls.ts");
    const { addMember } = await copy.load<typeof import("../../services/workspaces/add-member.ts")>("services/workspaces/add-member.ts");
    const { listStoredKinds } = await copy.load<typeof import("../../services/workspaces/stored-kinds.ts")>(
      "services/workspaces/stored-kinds.ts",
    );
    const { createWorkspaceArchive } =
      await copy.load<typeof import("../../services/sync/create-archive.ts")>("services/sync/create-archive.ts");
    const { checkItem } = await copy.load<typeof import("../../core/sync/check/check-item.ts")>("core/sync/check/check-item.ts");
    const { deleteWorkspace } = await copy.load<typeof import("../../services/workspaces/archive.ts")>("services/workspaces/archive.ts");
    const { purgeDeletedWorkspaces } = await copy.load<typeof import("../../services/maintenance/purge-workspaces.ts")>(
      "services/maintenance/purge-workspaces.ts",
    );
    const { deps, workspace } = world.world;
    const path = "u/ann/docs";
    const target = { workspace, kind: "bookmark", path };
    const newToken = async (username: string) => {
      const owner = { email: `${username}@example.com`, username, superAdmin: username === "ann" };
      const { value, writes } = buildTokenWrites(owner, {} as Parameters<typeof buildTokenWrites>[1], Date.now());
      await deps.objects.transactWrite(writes);
      return value;
    };
    await addMember(deps, workspace, { email: "bob@example.com", username: "bob", is_admin: false, operator: false }, { inherits: false });
    const [ann, bob] = [await newToken("ann"), await newToken("bob")];
    const loaded = await loadFunctions(["objects"]);
    const send = async (token: string, method: string, route: string, body?: object) => {
      const headers = Object.entries({
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        [EDGE_KEY_HEADER]: EDGE_KEY,
      });
      const event = toGatewayEvent({
        method,
        path: `/api/w/${workspace}/bookmarks/${route}`,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const reply = await loaded.handlers.get("objects")?.(event, lambdaContext);
      return [reply?.statusCode, reply?.body] as const;
    };
    const bookmark = { path, title: "Guide", url: "https://example.com/guide" };

    expect(await send(ann, "POST", "create", { ...bookmark, url: "https://ann:hush@example.com" })).toEqual([
      422,
      expect.stringContaining("password"),
    ]);
    expect((await send(ann, "POST", "create", bookmark))[0]).toBe(201);
    expect((await send(bob, "POST", `visit/${path}`))[0]).toBe(404);
    await changeAcl(deps, world.anAdmin, target, { owner: "u/bob", right: false });
    expect(await send(bob, "POST", `visit/${path}`)).toEqual([200, bookmark.url]);
    expect((await send(bob, "POST", `update/${path}`, { title: "Changed" }))[0]).toBe(403);
    const [, listed = ""] = await send(bob, "GET", "list");
    expect(JSON.parse(listed)).toMatchObject([{ ...bookmark, visits: 1, extra_perms: { "u/bob": false } }]);
    const { listSavedKinds } = await copy.load<typeof import("../../lib/storage/saved-kinds.ts")>("lib/storage/saved-kinds.ts");
    expect(listSavedKinds("objects")).toMatchObject([{ leadingKeys: "SIMPLE#*#bookmark" }]);
    expect(await listStoredKinds(deps.objects, workspace, "u/ann/")).toContain("bookmarks");

    const reader = { actor: world.anAdmin, workspace, token: "", operation: "workspaces.tarball" };
    const { pack } = await createWorkspaceArchive(deps, reader, archiveQuery.parse({ all_kinds: "true" }));
    const { [`${path}.bookmark.json`]: file } = unzipSync(await pack());
    const value = JSON.parse(new TextDecoder().decode(file)) as Record<string, unknown>;
    expect(value).toEqual({ title: bookmark.title, url: bookmark.url });
    const check = (fields: object) => checkItem({ kind: "bookmark", path, value: fields }, { name: "docs.bookmark.yaml", text: "" });
    expect(check(value)).toEqual({ problems: [], warnings: [] });
    expect(check({ ...value, url: 7 })).toMatchObject({
      problems: [{ message: "url: must be a text, and not a number. Put it in quotes." }],
    });

    expect((await send(ann, "DELETE", `delete/${path}`))[0]).toBe(200);
    expect(await getAcl(deps, target)).toEqual({});
    await send(ann, "POST", "create", bookmark);
    loaded.close();
    await deleteWorkspace(deps, workspace, "ann");
    for (let pass = 0; pass < 2; pass += 1) {
      await purgeDeletedWorkspaces({ ...deps, isolation: world.newIsolation(world.world) }, Number.POSITIVE_INFINITY);
      // Longer than a function that began before the deletion may write.
      world.world.clock.nowMs += 17 * 60_000;
    }
    const { items } = await deps.scanObjects(undefined);
    expect(items.filter(({ pk }) => pk.includes("bookmark"))).toEqual([]);
  });
});
