import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "../../contract/defined.ts";
import { EDGE_KEY_HEADER } from "../../contract/env.ts";
import { peopleRoutes as routes } from "../../contract/routes/people/people.ts";
import { buildTokenWrites } from "../../services/identity/tokens/tokens.ts";
import { type Handler, loadFunctions } from "../../test/support/fuzz/deployed-functions.ts";
import { EDGE_KEY, lambdaContext, toGatewayEvent } from "../../test/support/fuzz/gateway-event.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";

interface Exported {
  email: string;
  super_admin: boolean;
}

let people: Handler;
let close: () => void;
let adminToken: string;
beforeAll(async () => {
  const world = await newWorldWithFolder();
  const loaded = await loadFunctions(["people"]);
  people = loaded.handlers.get("people") as Handler;
  close = loaded.close;
  const owner = { email: "ann@example.com", username: "ann", superAdmin: true };
  const { value, writes } = buildTokenWrites(owner, {} as Parameters<typeof buildTokenWrites>[1], Date.now());
  await world.deps.objects.transactWrite(writes);
  adminToken = value;
}, 60_000);
afterAll(() => close());

/** Sends a request to the function with the token of a user. */
function clientOf(token: string) {
  const send = async (method: string, route: string, body?: object) => {
    const headers = [
      ["Authorization", `Bearer ${token}`],
      ["Content-Type", "application/json"],
      [EDGE_KEY_HEADER, EDGE_KEY],
    ] as const;
    const sent = { method, path: `/api/${route}`, headers, ...defined({ body: body && JSON.stringify(body) }) };
    const { statusCode: status, headers: replyHeaders, body: text } = await people(toGatewayEvent(sent), lambdaContext);
    return { status, text, code: new Headers(replyHeaders as Record<string, string>).get("x-svc-error") };
  };
  const read = async (route: string) => JSON.parse((await send("GET", route)).text) as unknown;
  return { get: (route: string) => send("GET", route), read, post: (route: string, body: object) => send("POST", route, body) };
}

/** Creates a user of the instance. */
async function someone(name: string) {
  const admin = clientOf(adminToken);
  const email = `${name}@example.com`;
  expect(await admin.post("users/create", { email, super_admin: false })).toMatchObject({ status: 201 });
  const { text: token } = await admin.post("users/tokens/impersonate", { impersonate_email: email });
  return { email, client: clientOf(token) };
}

describe("users and groups of the instance as lists", () => {
  it("users and groups are exported and overwritten: missing ones are deleted, new ones are created, and one superadmin always remains", async () => {
    const admin = clientOf(adminToken);
    const [gone, kept] = [await someone("gone"), await someone("kept")];
    const { text } = await admin.get("users/export");
    const before = JSON.parse(text) as Exported[];
    expect(routes.exportUsers.reply.json.parse(before)).toEqual(before);
    expect(text).not.toMatch(/password/i);
    expect(before.map(({ email }) => email)).toEqual(["ann@example.com", gone.email, kept.email].sort());
    const made = { email: "made@example.com", super_admin: true, name: "Made" };
    const list = [...before.filter(({ email }) => email !== gone.email), made];
    const without = list.map((user) => ({ ...user, super_admin: false }));
    expect(await admin.post("users/overwrite", without)).toMatchObject({ code: "user.lastAdmin" });
    expect(await admin.post("users/overwrite", [...list, { ...made, email: "MADE@example.com" }])).toMatchObject({ status: 422 });
    expect(await admin.read("users/export")).toEqual(before);
    // Repeated and concurrent calls have the same result.
    expect(await admin.post("users/overwrite", list)).toMatchObject({ status: 200 });
    const both = await Promise.all([admin.post("users/overwrite", list), admin.post("users/overwrite", list)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(((await admin.read("users/export")) as Exported[]).map(({ email }) => email)).toEqual(
      ["ann@example.com", kept.email, made.email].sort(),
    );
    expect([await gone.client.get("users/email"), await kept.client.get("users/email")]).toMatchObject([{ status: 401 }, { status: 200 }]);

    const groups = [
      { name: "ops", summary: "Operations", emails: [kept.email] },
      { name: "none", emails: [] },
    ];
    expect(await admin.post("groups/overwrite", groups)).toMatchObject({ status: 200 });
    const sorted = [...groups].sort((a, b) => a.name.localeCompare(b.name));
    expect(await admin.read("groups/export")).toEqual(sorted);
    const refused = await admin.post("groups/overwrite", [{ name: "new", emails: ["nobody@example.com"] }]);
    expect(refused).toMatchObject({ status: 404, code: "user.notFound" });
    expect(await admin.read("groups/export")).toEqual(sorted);
    expect(await admin.post("groups/overwrite", [{ name: "none", emails: [made.email] }])).toMatchObject({ status: 200 });
    expect(await admin.read("groups/export")).toEqual([{ name: "none", emails: [made.email] }]);
    expect(await kept.client.get("users/export")).toMatchObject({ status: 403 });
    expect(await kept.client.post("groups/overwrite", [])).toMatchObject({ status: 403 });
  });
});
