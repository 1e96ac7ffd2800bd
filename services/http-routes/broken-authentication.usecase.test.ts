import { createHmac, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import { type AuthenticationMethod, authenticationMethodSchema, httpFieldsSchema } from "../../contract/routes/triggers/http-fields.ts";
import { routesOfTriggerKinds } from "../../contract/routes/triggers/triggers.ts";
import { credentialTypes } from "../../core/http-routes/authentication/credential.ts";
import { corsHeaders } from "../../core/http-routes/cors.ts";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { routeCredentialObject } from "../../core/secrets/sealed-copy.ts";
import { triggerObject } from "../../core/triggers/trigger.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { newTriggerWorld, type TriggerWorld } from "../../test/support/use-cases/world-triggers.ts";
import { commitParts } from "../outbox/commit-parts.ts";
import { deleteResource } from "../resources/save.ts";
import { buildResourceCopyParts } from "../secrets/sealed-copies.ts";
import { findUncheckedHttpRoutes } from "../triggers/unchecked-http-routes.ts";
import { createVariable } from "../variables/save.ts";
import { authenticateRequest } from "./authenticate-request.ts";
import { findHttpRoute } from "./find-http-route.ts";

let world: TriggerWorld;
let script: string;
beforeAll(async () => {
  world = await newTriggerWorld();
  script = await world.addRunnable("u/ann/handle");
  const empty = newVariableSchema.parse({ path: EMPTY.slice("$var:".length), value: "", is_secret: false, description: "" });
  await createVariable(world.deps, { actor: anAdmin, workspace: world.workspace }, empty);
});

/** A variable with an empty text. */
const EMPTY = "$var:u/ann/empty";
const SHARED = "a secret with at least 32 bytes, which is long enough";
const now = () => Math.floor(world.deps.nowMs() / 1000);
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** Requests that a part which is absent, empty or broken could admit: without a credential, with an empty one, and signed with an empty key. */
async function guesses(): Promise<Record<string, string>[]> {
  const token = (key: string) =>
    new SignJWT({ sub: "eve" })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime(now() + 60)
      .sign(Buffer.from(key));
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  const signed = ["", "undefined", "null", "[object Object]"].flatMap((key) => [
    { "x-hub-signature-256": `sha256=${hmac(key, "{}").toString("hex")}` },
    { "x-signature": hmac(key, "{}").toString("hex") },
    { "stripe-signature": `t=${now()},v1=${hmac(key, `${now()}.{}`).toString("hex")}` },
    { "webhook-id": "m", "webhook-timestamp": `${now()}`, "webhook-signature": `v1,${hmac(key, `m.${now()}.{}`).toString("base64")}` },
  ]);
  return [
    {},
    ...["", "undefined", "null", "[object Object]", "7"].map((key) => ({ "x-api-key": key })),
    ...[":", "undefined:undefined", "null:null", "a:", ":p"].map((text) => ({ authorization: basic(text) })),
    ...signed,
    { authorization: "Bearer " },
    { authorization: `Bearer ${await token("undefined")}` },
    { authorization: `Bearer ${await token(SHARED)}` },
  ];
}

const fieldsOf = (method: AuthenticationMethod, more: object = {}) => ({
  ...{ path: `u/ann/${randomUUID()}`, script_path: script, is_flow: false, route_path: `r${randomUUID()}`, http_method: "get" },
  ...{ workspaced_route: true, authentication_method: method, ...more },
});

function aRoute(
  method: AuthenticationMethod,
  { credential, own = {}, head }: { credential?: StoredObject; own?: object; head?: StoredObject },
) {
  const fields = httpFieldsSchema.parse({ ...fieldsOf(method), authentication_resource_path: "u/ann/callers", ...own });
  const trigger = { id: randomUUID(), kind: "http", path: "u/ann/route", scriptPath: script, isFlow: false, mode: "enabled" };
  const found = { workspace: world.workspace, trigger, fields, params: {}, below: [], actor: anAdmin, head, credential };
  return found as unknown as FoundHttpRoute;
}

async function listAdmitted(route: FoundHttpRoute) {
  const noKeys = async () => ({ keys: [] });
  const deps = { ...world.deps, publicKey: async () => undefined, readKeySet: noKeys };
  const admitted: unknown[] = [];
  for (const headers of await guesses()) {
    const readBytes = async () => Buffer.from("{}");
    for (const token of [undefined, "", "undefined"]) {
      const { outcome } = await authenticateRequest(deps, route, { headers, readBytes, token });
      if (outcome !== "refused") admitted.push([outcome, headers, token]);
    }
  }
  return admitted;
}

/** Values of a resource in which a part is absent, renamed, empty or of another type. */
const broken = {
  api_key: [
    {},
    { keys: "k" },
    { key: "" },
    { key: null },
    { key: 7 },
    { key: [] },
    { key: {} },
    { old_key: "k" },
    { key: "", old_key: "k" },
  ],
  basic_http: [
    {},
    { user: "a", pass: "p" },
    { username: "a" },
    { username: "a", password: "" },
    { username: "", password: null },
    { password: [] },
  ],
  signature: [
    {},
    { secrets: "s" },
    { preset: "github" },
    { preset: "github", secret: "" },
    { preset: "github", secret: null },
    { preset: "github", secret: [] },
    { preset: "stripe", secret: {} },
    { preset: "standard_webhooks", secret: "whsec_" },
    { preset: "standard_webhooks", secret: "no base64!" },
    { preset: "standard_webhooks", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", old_secret: "none" },
    { preset: "unknown", secret: "s" },
    { secret: "s" },
    { secret: "s", header: "x-signature", template: "fixed" },
  ],
  jwt: [
    {},
    { keys: SHARED },
    { secret: "" },
    { secret: null },
    { secret: [SHARED] },
    { secret: "short" },
    { jwks_url: "" },
    { public_key: "" },
    { secret: SHARED, algorithms: ["none"] },
    // The other checks of a token.
    { secret: SHARED, iss: "issuer" },
    { secret: SHARED, aud: "shop" },
    { secret: SHARED, claim: { role: "admin" } },
    { secret: SHARED, audience: "$var:u/ann/absent" },
    { secret: SHARED, issuer: EMPTY },
    { secret: SHARED, audience: EMPTY },
    { secret: SHARED, claims: EMPTY },
  ],
} as const;

/** Accepted values, although an empty list admits no request. */
const admitsNone = {
  jwt: [
    { secret: SHARED, audience: [] },
    { secret: SHARED, issuer: [] },
    { secret: SHARED, claims: { role: "" } },
  ],
};

const cases = Object.entries(broken).flatMap(([method, values]) => values.map((value) => [method as keyof typeof broken, value] as const));

describe("a method of authentication with an absent, renamed, empty or broken part admits no request:", () => {
  it("the table contains every method that needs a credential", () => {
    expect(Object.keys(broken)).toEqual(Object.keys(credentialTypes));
    expect(authenticationMethodSchema.options.filter((method) => !(method in broken))).toEqual([
      "none",
      "custom_script",
      "svc",
      "windmill",
    ]);
  });

  /** Stores a resource of a method's type, without the checks of the type. */
  const store = async (method: keyof typeof broken, value: unknown) => {
    const path = `u/ann/${randomUUID()}`;
    const type = credentialTypes[method];
    const resource = { path, json: JSON.stringify(value), resourceType: type, createdBy: "ann", editedAtMs: world.deps.nowMs() };
    const parts = await buildResourceCopyParts(world.deps, { actor: anAdmin, workspace: world.workspace }, { after: resource });
    const put = write.put({ ...resourceObject.key(world.workspace, path), value: resource, version: randomUUID() });
    await commitParts(world.deps.objects, [{ write: put, refused: undefined }, ...parts]);
    return path;
  };
  const copyOf = (path: string) => world.deps.objects.get(routeCredentialObject.key(world.workspace, path));

  it.each(cases)("%s with %j, on save and at the request", async (method, value) => {
    const path = await store(method, value);
    const saved = world.create("http", fieldsOf(method, { authentication_resource_path: path }));
    await expect(saved).rejects.toMatchObject({ code: "trigger.source", details: { field: "authentication_resource_path" } });
    const credential = await copyOf(path);
    expect(
      await listAdmitted(aRoute(method, { ...(credential ? { credential } : {}), own: { authentication_resource_path: path } })),
    ).toEqual([]);
  });

  it.each(admitsNone.jwt)("jwt with %j", async (value) => {
    const path = await store("jwt", value);
    const credential = (await copyOf(path)) as StoredObject;
    expect(await listAdmitted(aRoute("jwt", { credential, own: { authentication_resource_path: path } }))).toEqual([]);
  });

  it.each(authenticationMethodSchema.options.filter((method) => method !== "none"))(
    "%s without its resource, with a deleted one and with one of another type",
    async (method) => {
      const own = (path: unknown) => ({ own: { authentication_resource_path: path } });
      for (const path of [undefined, null, ""]) expect(await listAdmitted(aRoute(method, own(path)))).toEqual([]);
      const path = await store(method === "api_key" ? "basic_http" : "api_key", { key: "k", username: "a", password: "p" });
      const credential = (await copyOf(path)) as StoredObject;
      expect(await listAdmitted(aRoute(method, { ...own(path), credential }))).toEqual([]);
      await deleteResource(world.deps, { actor: anAdmin, workspace: world.workspace, path });
      expect(await listAdmitted(aRoute(method, own(path)))).toEqual([]);
    },
  );
});

describe("a route whose requests its script checks", () => {
  const headOf = async (path: string) => (await world.deps.objects.get(scriptHeadObject.key(world.workspace, path))) as StoredObject;
  const refused = (reason: string) => ({
    code: "trigger.source",
    details: { field: "authentication_method", reason: expect.stringContaining(reason) },
  });
  const SITE = { static_asset_config: { s3: "u/ann/site" }, is_static_website: true };

  it("needs a preprocessor on save, and cannot serve files", async () => {
    const checked = await world.addRunnable(`u/ann/${randomUUID()}`, true);
    await world.create("http", fieldsOf("custom_script", { script_path: checked }));
    await expect(world.create("http", fieldsOf("custom_script"))).rejects.toMatchObject(refused("has no preprocessor"));
    const served = fieldsOf("custom_script", { script_path: checked, ...SITE });
    await expect(world.create("http", served)).rejects.toMatchObject(refused("serves files"));
    const other = fieldsOf("none");
    await world.create("http", other);
    const changed = { ...other, authentication_method: "custom_script" };
    await expect(world.update("http", other.path, changed)).rejects.toMatchObject(refused("has no preprocessor"));
  });

  it("refuses all requests once the script has no preprocessor or is gone, and a deployment lists such routes", async () => {
    const path = await world.addRunnable(`u/ann/${randomUUID()}`, true);
    const route = fieldsOf("custom_script", { script_path: path });
    await world.create("http", route);
    const caller = { actor: anAdmin, workspace: world.workspace };
    const warned = (by = caller) => findUncheckedHttpRoutes(world.deps, by, { path, isFlow: false });
    expect([(await listAdmitted(aRoute("custom_script", { head: await headOf(path) }))).length > 0, await warned()]).toEqual([true, []]);
    await world.addRunnable(path);
    expect([await listAdmitted(aRoute("custom_script", { head: await headOf(path) })), await warned()]).toEqual([[], [route.path]]);
    expect(await warned({ ...caller, actor: { ...anAdmin, scopes: ["scripts:write"] } })).toEqual([]);
    expect(await listAdmitted(aRoute("custom_script", {}))).toEqual([]);
    const head = await headOf(await world.addRunnable(`u/ann/${randomUUID()}`, true));
    expect(await listAdmitted(aRoute("custom_script", { head, own: SITE }))).toEqual([]);
  });
});

it.each([undefined, null, "", "nobody", "NONE", ["none"]])(
  "the service does not serve a stored route with the method %j",
  async (method) => {
    const route = fieldsOf("none");
    await world.create("http", route);
    const find = () => findHttpRoute(world.deps, { method: "get", path: `${world.workspace}/${route.route_path}` });
    expect((await find()).outcome).toBe("found");
    const key = triggerObject.key(world.workspace, "http", route.path);
    const stored = (await world.deps.objects.get(key)) as StoredObject & { value: { own: object } };
    await world.deps.objects.put({ ...stored, value: { ...stored.value, own: { ...stored.value.own, authentication_method: method } } });
    expect((await find()).outcome).toBe("unknown");
  },
);

it.each([{}, { authentication_method: null }, { authentication_method: "" }, { auth_method: "api_key" }])(
  "a change that names its method as %j does not open a route",
  (sent) => {
    const { authentication_method: _, ...route } = fieldsOf("api_key");
    expect(routesOfTriggerKinds.http.update.body.safeParse({ ...route, ...sent }).success).toBe(false);
    expect(routesOfTriggerKinds.http.update.body.safeParse({ ...route, authentication_method: "none" }).success).toBe(true);
  },
);

it.each([undefined, null, [], [""], ["null"], ["https://other.example"], ["https://shop.example.evil"], ["https://"]])(
  "the allowed origins %j allow no other origin",
  (allowed) => {
    expect(corsHeaders("https://shop.example", allowed)).not.toHaveProperty("access-control-allow-origin");
  },
);
