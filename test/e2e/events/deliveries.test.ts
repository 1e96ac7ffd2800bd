import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { workspaceEventTypes } from "../../../contract/events.ts";
import { HIDDEN_VALUE, makeEveryChange } from "../../support/api/changes.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { startReceiver } from "../../support/approvals/notices.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  [ws, receiver] = await Promise.all([newWorkspace(), startReceiver()]);
});
afterAll(() => receiver?.close());

interface Delivery {
  id: string;
  state: string;
  attempts: number;
  attempt_log: { at: string; status?: number }[];
}
const body = <T>(answer: { json: unknown }) => answer.json as T;
const secret = async () => body<{ secret: string }>(expectStatus(await ws.get("workspaces/webhook_secret"), 200)).secret;
const waitForRequests = (count: number) =>
  until(() => receiver.receivedRequests.length >= count, { timeoutMs: 60_000, what: `${count} requests` });

it("a receiver verifies an event of every kind of change, and the log shows its delivery", async () => {
  expectStatus(await ws.post("webhooks/create", { id: "all", url: receiver.url }), 201);
  const expected = await makeEveryChange(ws);
  await waitForRequests(expected.length);
  const webhook = new Webhook(await secret());
  const events = receiver.receivedRequests.map(({ headers, body: text }) => webhook.verify(text, headers as Record<string, string>)) as {
    type: string;
    data: Record<string, unknown>;
  }[];
  const sorted = (list: { type: string; data: object }[]) => [...list].sort((a, b) => (a.type < b.type ? -1 : 1));
  const found = events.map(({ type, data }) => ({ type, data }));
  expect(sorted(found)).toEqual(sorted(expected.map(({ type, data }) => ({ type, data: { workspace_id: ws.id, by: "admin", ...data } }))));
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(workspaceEventTypes.filter((type) => !type.startsWith("Token"))));
  expect(JSON.stringify(receiver.receivedRequests)).not.toContain(HIDDEN_VALUE);
  expect(new Set(receiver.receivedRequests.map(({ headers }) => headers["webhook-id"])).size).toBe(expected.length);
  const log = () => ws.get("webhooks/deliveries/list", { state: "sent", endpoint: "all", per_page: 100 });
  await until(async () => body<Delivery[]>(expectStatus(await log(), 200)).length === expected.length, {
    what: "all deliveries in the log",
  });
  expectStatus(await ws.call("DELETE", "webhooks/delete/all"), 200);
});

it("a failed delivery is repeated after five seconds without housekeeping, and replayed on request", async () => {
  receiver.receivedRequests.length = 0;
  expectStatus(await ws.post("workspaces/edit_webhook", { webhook: receiver.url, events: ["CreateVariable"] }), 200);
  receiver.replies.push({ status: 503 });
  expectStatus(await ws.post("variables/create", { path: "f/t/again", value: "x", is_secret: false, description: "" }), 201);
  await waitForRequests(2);
  const find = async () => body<Delivery[]>(await ws.get("webhooks/deliveries/list", { path: "f/t/again" }))[0];
  const { id = "" } =
    (await until(async () => ((await find())?.state === "sent" ? find() : undefined), { what: "the second attempt" })) ?? {};
  const found = body<Delivery>(expectStatus(await ws.get(`webhooks/deliveries/get/${id}`), 200));
  expect(found).toMatchObject({ state: "sent", attempts: 2, attempt_log: [{ status: 503 }, { status: 204 }] });
  const [first = 0, second = 0] = found.attempt_log.map(({ at }) => Date.parse(at));
  expect(second - first).toBeGreaterThan(4000);
  expect(second - first).toBeLessThan(10_000);
  expectStatus(await ws.post("webhooks/deliveries/replay", { ids: [id] }), 200);
  await waitForRequests(3);
  expect(new Set(receiver.receivedRequests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  const far = { endpoint: "none", after: "2026-01-01T00:00:00Z", before: "2026-01-02T00:00:00Z" };
  expect((await ws.post("webhooks/deliveries/replay", far)).status).toBe(404);
  for (const bad of [{}, { ids: [] }, { ids: ["x"] }, { ...far, ids: [id] }]) {
    expect((await ws.post("webhooks/deliveries/replay", bad)).status).toBe(422);
  }
});
