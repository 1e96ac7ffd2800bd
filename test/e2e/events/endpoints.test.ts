import { beforeAll, describe, expect, it } from "vitest";
import { member, someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

const SECRET = "T0123/B4567";
const url = `https://hooks.example.com/services/${SECRET}`;

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});
const settings = async () => expectStatus(await ws.get("workspaces/get_settings"), 200).json as Record<string, unknown>;

describe("the endpoints of a workspace over HTTP", () => {
  it("an admin sets the webhook, adds an endpoint, tests it and removes both", async () => {
    const admin = (await member(ws, "boss", "admin")).in(ws);
    expectStatus(await admin.post("workspaces/edit_webhook", { webhook: url, events: ["CreateScript"] }), 200);
    expect(await settings()).toMatchObject({ webhook: url, events: ["CreateScript"] });
    const created = expectStatus(await admin.post("webhooks/create", { id: "ops", url, paths: ["f/ops/**"], enabled: false }), 201).json;
    expect(created).toMatchObject({ id: "ops", url, events: null, paths: ["f/ops/**"], enabled: false });
    expect(expectStatus(await admin.post("webhooks/update/ops", { paths: null }), 200).json).toMatchObject({ id: "ops", paths: null });
    expect(expectStatus(await admin.get("webhooks/list"), 200).json).toMatchObject([
      { id: "workspace", url },
      { id: "ops", url },
    ]);
    expect(expectStatus(await admin.post("webhooks/test/ops"), 200).json).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expectStatus(await admin.call("DELETE", "webhooks/delete/ops"), 200);
    expectStatus(await admin.post("workspaces/edit_webhook", {}), 200);
    expect((await admin.get("webhooks/list")).json).toEqual([]);
    expect(await settings()).not.toHaveProperty("webhook");

    const entries = (await ws.get("audit/list", { per_page: 100 })).json as { operation: string; resource?: string }[];
    const ours = entries.filter(({ operation }) => /webhook/.test(operation)).map(({ operation, resource }) => `${operation} ${resource}`);
    expect(ours.reverse()).toEqual([
      "workspaces.edit_webhook https://hooks.example.com",
      "webhooks.create ops https://hooks.example.com",
      "webhooks.update ops https://hooks.example.com",
      "webhooks.test ops",
      "webhooks.delete ops",
      "workspaces.edit_webhook undefined",
    ]);
    expect(JSON.stringify(entries)).not.toContain(SECRET);
  });

  it("a URL that cannot be called is refused with 422 and the field, and an internal address is saved", async () => {
    for (const bad of ["ftp://example.com/", "https://user:password@example.com/", `https://example.com/${"x".repeat(2000)}`]) {
      const [set, added] = [await ws.post("workspaces/edit_webhook", { webhook: bad }), await ws.post("webhooks/create", { url: bad })];
      expect(set).toMatchObject({ status: 422, text: expect.stringContaining("webhook: ") });
      expect(added).toMatchObject({ status: 422, text: expect.stringContaining("url: ") });
      expect(set.text + added.text).not.toContain("password@");
    }
    expect((await ws.get("webhooks/list")).json).toEqual([]);
    expectStatus(await ws.post("webhooks/create", { url: "http://169.254.169.254/latest", enabled: false }), 201);
  });

  it("events and notices share one secret, and a replacement applies to both", async () => {
    const secretOf = async (method: "GET" | "POST", route: string) =>
      (expectStatus(await ws.call(method, route), 200).json as { secret: string }).secret;
    const before = await secretOf("GET", "workspaces/webhook_secret");
    expect(before).toMatch(/^whsec_/);
    expect(await secretOf("GET", "approvals/webhook_secret")).toBe(before);
    const after = await secretOf("POST", "workspaces/webhook_secret");
    expect(after).not.toBe(before);
    expect(await secretOf("GET", "approvals/webhook_secret")).toBe(after);
  });

  it("a member who is not an admin gets 403, and a user of another workspace learns nothing", async () => {
    expectStatus(await ws.post("webhooks/create", { id: "guarded", url, enabled: false }), 201);
    const [dev, other] = [await member(ws, "dev"), await someone("other")];
    const theirs = await newWorkspace();
    expectStatus(await theirs.post("workspaces/add_user", { email: other.email, is_admin: true, operator: false }), 201);
    const calls = (client: Workspace) => [
      client.post("workspaces/edit_webhook", { webhook: url }),
      client.get("webhooks/list"),
      client.post("webhooks/create", { url }),
      client.post("webhooks/update/guarded", { enabled: true }),
      client.post("webhooks/test/guarded"),
      client.call("DELETE", "webhooks/delete/guarded"),
      client.get("workspaces/webhook_secret"),
      client.post("workspaces/webhook_secret"),
      client.get("workspaces/get_settings"),
    ];
    const ofDev = await Promise.all(calls(dev.in(ws)));
    expect(ofDev.map(({ status }) => status)).toEqual(ofDev.map(() => 403));
    // A workspace that does not exist has the same answers.
    const ofOther = await Promise.all(calls(other.in(ws)));
    const ofNone = await Promise.all(calls(other.in({ ...ws, id: "no-such-workspace" })));
    expect(ofOther.map(({ status }) => status)).toEqual(ofNone.map(({ status }) => status));
    expect([...ofDev, ...ofOther].map(({ text }) => text).join()).not.toContain(SECRET);
    // An admin elsewhere does not reach the endpoint by its id.
    expect((await other.in(theirs).post("webhooks/test/guarded")).status).toBe(404);
    expect((await ws.get("webhooks/list")).json).toContainEqual(expect.objectContaining({ id: "guarded", enabled: false }));
  });
});
