import { generateKeyPairSync, randomUUID } from "node:crypto";
import { exportJWK, exportSPKI, generateKeyPair, type JSONWebKeySet, type JWTPayload, SignJWT } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newResourceSchema } from "../../contract/routes/stored/resources.ts";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import { type HttpFields, httpFieldsSchema } from "../../contract/routes/triggers/http-fields.ts";
import { httpRouteFailuresObject } from "../../core/http-routes/failures.ts";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import type { Actor } from "../../core/people/actor.ts";
import { copyVariableObject, routeCredentialObject } from "../../core/secrets/sealed-copy.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder, repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { createKeySetReader } from "../identity/tokens/issuer-keys.ts";
import { createResource, deleteResource, updateResource } from "../resources/save.ts";
import { rotateWorkspaceKey } from "../secrets/rotate-workspace-key.ts";
import { checkAuthenticationFields } from "../triggers/authentication-fields.ts";
import { createVariable, deleteVariable, updateVariable } from "../variables/save.ts";
import { authenticateRequest } from "./authenticate-request.ts";
import { recordRefusal } from "./record-refusal.ts";

let world: World;
let fetched: string[];
let keySet: JSONWebKeySet | undefined;
beforeAll(async () => {
  world = await newWorldWithFolder();
});
beforeEach(() => {
  fetched = [];
  keySet = undefined;
});

const newPath = () => `f/t/${randomUUID()}`;
const caller = (actor: Actor = anAdmin) => ({ actor, workspace: world.workspace });
const saveVariable = (path: string, value: string) =>
  createVariable(world.deps, caller(), newVariableSchema.parse({ path, value, is_secret: true, description: "" }));
const changeVariable = (path: string, change: object) => updateVariable(world.deps, { ...caller(), path }, change);
const saveResource = (path: string, resource_type: string, value: unknown, actor?: Actor) =>
  createResource(world.deps, caller(actor), newResourceSchema.parse({ path, value, resource_type }), { updateIfExists: true });

const fieldsOf = (authentication_method: HttpFields["authentication_method"], path: string | undefined) =>
  httpFieldsSchema.parse({ route_path: "a", http_method: "post", authentication_method, authentication_resource_path: path });

async function aRoute(method: HttpFields["authentication_method"], path?: string): Promise<FoundHttpRoute> {
  const credential = path === undefined ? undefined : await world.deps.objects.get(routeCredentialObject.key(world.workspace, path));
  const trigger = { id: randomUUID(), kind: "http", path: "f/t/route", scriptPath: "f/t/script", isFlow: false, mode: "enabled" };
  const found = { workspace: world.workspace, trigger, fields: fieldsOf(method, path), params: {}, below: [], credential };
  return found as unknown as FoundHttpRoute;
}

function newDeps() {
  const keySets = {
    fetchKeySet: async (url: string) => {
      fetched.push(url);
      if (!keySet) throw new Error("The issuer does not respond.");
      return keySet;
    },
  };
  const { nowMs } = world.deps;
  return { ...world.deps, publicKey: async () => undefined, readKeySet: createKeySetReader({ keySets, nowMs }), nowMs };
}
type Deps = ReturnType<typeof newDeps>;

const ask = (found: FoundHttpRoute, headers: Record<string, string>, token?: string, deps: Deps = newDeps()) =>
  authenticateRequest(deps, found, { headers, readBytes: async () => Buffer.from("{}"), token });
const askWithKey = async (path: string, key: string) => (await ask(await aRoute("api_key", path), { "x-api-key": key })).outcome;

/** Lets a user who may not read a variable save a resource for routes that refers to it already. */
async function saveUnread(resource: string, variable: string): Promise<void> {
  await saveResource(resource, "any", { key: `$var:${variable}` });
  await saveResource(resource, "api_key_auth", { key: `$var:${variable}` }, aReader(world.workspace, []));
}

describe("a resource for the authentication of routes", () => {
  it("is used with the current text of its variable", async () => {
    const [variable, resource] = [newPath(), newPath()];
    await saveVariable(variable, "key-1");
    await saveResource(resource, "api_key_auth", { key: `$var:${variable}` });
    expect([await askWithKey(resource, "key-1"), await askWithKey(resource, `$var:${variable}`)]).toEqual(["admitted", "refused"]);
    await changeVariable(variable, { value: "key-2" });
    expect([await askWithKey(resource, "key-1"), await askWithKey(resource, "key-2")]).toEqual(["refused", "admitted"]);
    await changeVariable(variable, { is_secret: false });
    expect(await askWithKey(resource, "key-2")).toBe("admitted");
    await changeVariable(variable, { description: "changed" });
    await rotateWorkspaceKey(world.deps, caller(), "another exportable key of the workspace");
    expect(await askWithKey(resource, "key-2")).toBe("admitted");
  });

  it("is sealed in its copy", async () => {
    const resource = newPath();
    await saveResource(resource, "api_key_auth", { key: "a-key-that-nobody-sees" });
    const copy = await world.deps.objects.get(routeCredentialObject.key(world.workspace, resource));
    expect(copy?.value).toMatchObject({ type: "api_key_auth", sealed: expect.stringMatching(/^svc1:/) });
    expect(JSON.stringify(copy)).not.toContain("nobody");
    // The copy is bound to its path.
    const moved = { ...(await aRoute("api_key", newPath())), credential: copy };
    await expect(ask(moved, { "x-api-key": "a-key-that-nobody-sees" })).rejects.toThrow();
  });

  it("refuses everyone while it or its variable is gone, and accepts again once they are back", async () => {
    const [variable, resource] = [newPath(), newPath()];
    await saveVariable(variable, "key-1");
    await saveResource(resource, "api_key_auth", { key: `$var:${variable}` });
    await deleteVariable(world.deps, { actor: anAdmin, workspace: world.workspace, path: variable });
    expect(await ask(await aRoute("api_key", resource), { "x-api-key": "key-1" })).toEqual({
      outcome: "refused",
      reason: "noConfiguration",
    });
    await saveVariable(variable, "key-2");
    expect(await askWithKey(resource, "key-2")).toBe("admitted");
    await changeVariable(variable, { path: newPath() });
    expect(await askWithKey(resource, "key-2")).toBe("refused");
    await saveVariable(variable, "key-3");
    await deleteResource(world.deps, { actor: anAdmin, workspace: world.workspace, path: resource });
    expect(await world.deps.objects.get(routeCredentialObject.key(world.workspace, resource))).toBeUndefined();
    expect(await world.deps.objects.get(copyVariableObject.key(world.workspace, variable))).toBeUndefined();
    expect(await askWithKey(resource, "key-3")).toBe("refused");
    await saveResource(resource, "api_key_auth", { key: `$var:${variable}` });
    expect(await askWithKey(resource, "key-3")).toBe("admitted");
  });

  it("has no copy once its type changes, and follows its new path", async () => {
    const [resource, to] = [newPath(), newPath()];
    await saveResource(resource, "api_key_auth", { key: "k" });
    await updateResource(world.deps, { ...caller(), path: resource }, { path: to });
    expect([await askWithKey(resource, "k"), await askWithKey(to, "k")]).toEqual(["refused", "admitted"]);
    await updateResource(world.deps, { ...caller(), path: to }, { resource_type: "any" });
    expect(await world.deps.objects.get(routeCredentialObject.key(world.workspace, to))).toBeUndefined();
  });

  it("cannot use a variable that the user who saves it may not read, not even one that is created later", async () => {
    const [variable, resource] = [`u/eve/${randomUUID()}`, `u/bob/${randomUUID()}`];
    await saveUnread(resource, variable);
    await saveVariable(variable, "key-of-eve");
    expect(await askWithKey(resource, "key-of-eve")).toBe("refused");
    await changeVariable(variable, { value: "key-of-eve", description: "changed" });
    expect(await askWithKey(resource, "key-of-eve")).toBe("refused");
  });

  it("does not gain a variable when another user, who may read it, changes a field other than its value", async () => {
    const [variable, resource] = [`u/eve/${randomUUID()}`, `u/bob/${randomUUID()}`];
    await saveVariable(variable, "key-of-eve");
    await saveUnread(resource, variable);
    const to = `${resource}2`;
    for (const change of [{ description: "changed" }, { resource_type: "any" }, { resource_type: "api_key_auth" }, { path: to }])
      await updateResource(world.deps, { ...caller(), path: resource }, change);
    expect(await askWithKey(to, "key-of-eve")).toBe("refused");
    await updateResource(world.deps, { ...caller(), path: to }, { value: { key: `$var:${variable}` } });
    expect(await askWithKey(to, "key-of-eve")).toBe("admitted");
    await updateResource(world.deps, { ...caller(), path: to }, { description: "again" });
    expect(await askWithKey(to, "key-of-eve")).toBe("admitted");
  });

  it("has the text that was written last, in any order of two writers", async () => {
    const [variable, resource] = [newPath(), newPath()];
    await saveVariable(variable, "0");
    await saveResource(resource, "api_key_auth", { key: "none" });
    for (let round = 1; round <= 5; round += 1) {
      await Promise.all([
        changeVariable(variable, { value: `${round}` }),
        saveResource(resource, "api_key_auth", { key: `$var:${variable}`, old_key: `old-${round}` }),
      ]);
      expect([await askWithKey(resource, `${round}`), await askWithKey(resource, `old-${round}`)]).toEqual(["admitted", "admitted"]);
    }
  });

  it("and its copy change together, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const [variable, resource] = [newPath(), newPath()];
      await saveVariable(variable, "key-1");
      await saveResource(resource, "api_key_auth", { key: `$var:${variable}` });
      const act = () => changeVariable(variable, { value: "key-2" });
      return {
        act,
        recover: () => repeat(act, []),
        check: async () => {
          expect([await askWithKey(resource, "key-1"), await askWithKey(resource, "key-2")]).toEqual(["refused", "admitted"]);
        },
      };
    });
  });
});

describe("a route that is saved", () => {
  const check = (method: HttpFields["authentication_method"], path: string | undefined, actor: Actor = anAdmin) =>
    checkAuthenticationFields(world.deps.objects, caller(actor), fieldsOf(method, path));
  const refused = (reason: string) =>
    expect.objectContaining({
      code: "trigger.source",
      details: { field: "authentication_resource_path", reason: expect.stringContaining(reason) },
    });

  it("names a resource of the type that its method needs, which its author may read", async () => {
    const [resource, broken] = [newPath(), newPath()];
    await saveResource(resource, "api_key_auth", { key: "k" });
    await saveResource(broken, "api_key_auth", { key: `$var:${newPath()}` });
    await check("api_key", resource);
    await check("none", undefined);
    await expect(check("api_key", undefined)).rejects.toEqual(refused("needs a resource"));
    await expect(check("api_key", newPath())).rejects.toEqual(refused("no such resource"));
    await expect(check("jwt", resource)).rejects.toEqual(refused("must have the type jwt_auth"));
    await expect(check("api_key", broken)).rejects.toEqual(refused("does not exist"));
    await expect(check("api_key", resource, aReader(world.workspace, []))).rejects.toEqual(refused("may not read"));
  });
});

describe("a JSON Web Token", () => {
  const issuer = "https://issuer.example";
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const sign = (claims: JWTPayload, { alg = "RS256", key = rsa.privateKey as never, kid = "k1" } = {}) =>
    new SignJWT({ iss: issuer, aud: "shop", sub: "ann", ...claims })
      .setProtectedHeader({ alg, kid })
      .setIssuedAt(Math.floor(world.deps.nowMs() / 1000))
      .setExpirationTime(Math.floor(world.deps.nowMs() / 1000) + 300)
      .sign(key);
  const askWith = async (route: FoundHttpRoute, token: string, deps?: Deps) =>
    ask(route, { authorization: `Bearer ${token}` }, undefined, deps);

  async function routeWith(value: object): Promise<FoundHttpRoute> {
    const path = newPath();
    await saveResource(path, "jwt_auth", { issuer, audience: "shop", ...value });
    return aRoute("jwt", path);
  }

  it("of an issuer with a public key is accepted, and its claims become an argument", async () => {
    const route = await routeWith({ public_key: await exportSPKI(rsa.publicKey as never) });
    expect(await askWith(route, await sign({ role: "clerk" }))).toMatchObject({
      outcome: "admitted",
      args: { jwt: { iss: issuer, sub: "ann", role: "clerk" } },
    });
  });

  it("is refused with another key, issuer, audience, algorithm or claim, after its end, and unsigned", async () => {
    const pem = await exportSPKI(rsa.publicKey as never);
    const route = await routeWith({ public_key: pem, claims: { role: "clerk" } });
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const valid = await sign({ role: "clerk" });
    expect((await askWith(route, valid)).outcome).toBe("admitted");
    expect((await askWith(route, await sign({ role: ["clerk", "manager"] }))).outcome).toBe("admitted");
    const [header = "", payload = "", signature = ""] = valid.split(".");
    const unsigned = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    const expired = await new SignJWT({ iss: issuer, aud: "shop", role: "clerk" })
      .setProtectedHeader({ alg: "RS256" })
      .setExpirationTime(Math.floor(world.deps.nowMs() / 1000) - 60)
      .sign(rsa.privateKey);
    const tokens = {
      wrongToken: [
        await sign({ role: "clerk" }, { key: other.privateKey as never }),
        `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
        "a.b.c",
      ],
      wrongClaim: [
        await sign({ role: "chef" }),
        await sign({}),
        await sign({ role: "clerk", iss: "other" }),
        await sign({ role: "clerk", aud: "other" }),
      ],
      wrongAlgorithm: [`${unsigned}.${payload}.AA`, await sign({ role: "clerk" }, { alg: "HS256", key: Buffer.from(pem) as never })],
      tooOld: [expired],
    };
    for (const [reason, list] of Object.entries(tokens)) {
      for (const token of list) expect(await askWith(route, token)).toEqual({ outcome: "refused", reason, challenge: "Bearer" });
    }
    expect(await ask(route, {})).toMatchObject({ reason: "noCredential" });
    expect(await ask(route, { authorization: `Basic ${valid}` })).toMatchObject({ reason: "wrongToken" });
  });

  it("with a shared secret is accepted with HS256 alone", async () => {
    const secret = randomUUID();
    const route = await routeWith({ secret });
    const key = Buffer.from(secret) as never;
    expect((await askWith(route, await sign({}, { alg: "HS256", key }))).outcome).toBe("admitted");
    expect(await askWith(route, await sign({}, { alg: "HS512", key }))).toMatchObject({ reason: "wrongAlgorithm" });
    expect(await askWith(route, await sign({}))).toMatchObject({ reason: "wrongAlgorithm" });
  });

  it("of an issuer with a key set causes one request per ten minutes, and one more for a new key", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    keySet = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }] };
    const route = await routeWith({ jwks_url: "https://issuer.example/keys" });
    const deps = newDeps();
    const token = await sign({}, { alg: "ES256", key: privateKey as never });
    const all = await Promise.all([1, 2, 3].map(() => askWith(route, token, deps)));
    expect([all.map(({ outcome }) => outcome), fetched.length]).toEqual([["admitted", "admitted", "admitted"], 1]);
    world.clock.nowMs += 11 * 60_000;
    const later = await sign({}, { alg: "ES256", key: privateKey as never });
    expect([(await askWith(route, later, deps)).outcome, fetched.length]).toEqual(["admitted", 2]);
    // The issuer changes its key.
    const next = await generateKeyPair("ES256");
    keySet = { keys: [{ ...(await exportJWK(next.publicKey)), kid: "k2", alg: "ES256" }] };
    const rotated = await sign({}, { alg: "ES256", key: next.privateKey as never, kid: "k2" });
    // Anyone can name a key, so the keys are not read again immediately.
    expect([(await askWith(route, rotated, deps)).outcome, fetched.length]).toEqual(["refused", 2]);
    world.clock.nowMs += 31_000;
    expect([(await askWith(route, rotated, deps)).outcome, fetched.length]).toEqual(["admitted", 3]);
  });

  it("is refused for a while if the issuer does not respond, and keys that are known are used for an hour", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const route = await routeWith({ jwks_url: "https://issuer.example/keys" });
    const deps = newDeps();
    const newToken = () => sign({}, { alg: "ES256", key: privateKey as never });
    expect(await askWith(route, await newToken(), deps)).toEqual({ outcome: "unavailable", retryAfterS: 30 });
    expect([(await askWith(route, await newToken(), deps)).outcome, fetched.length]).toEqual(["unavailable", 1]);
    world.clock.nowMs += 31_000;
    keySet = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }] };
    expect((await askWith(route, await newToken(), deps)).outcome).toBe("admitted");
    keySet = undefined;
    world.clock.nowMs += 59 * 60_000;
    expect((await askWith(route, await newToken(), deps)).outcome).toBe("admitted");
    world.clock.nowMs += 2 * 60_000;
    expect((await askWith(route, await newToken(), deps)).outcome).toBe("unavailable");
  });

  it("without a key id is tried with each key of the set", async () => {
    const [one, two] = [await generateKeyPair("ES256"), await generateKeyPair("ES256")];
    keySet = { keys: [await exportJWK(one.publicKey), await exportJWK(two.publicKey)] };
    const route = await routeWith({ jwks_url: "https://issuer.example/keys" });
    const signed = new SignJWT({ iss: issuer, aud: "shop" }).setProtectedHeader({ alg: "ES256" });
    expect((await askWith(route, await signed.sign(two.privateKey))).outcome).toBe("admitted");
    const stranger = await generateKeyPair("ES256");
    expect((await askWith(route, await signed.sign(stranger.privateKey))).outcome).toBe("refused");
  });
});

describe("a refused request", () => {
  it("is shown with its reason alone, and a flood of them writes once", async () => {
    const route = await aRoute("api_key");
    const load = async () =>
      (await world.deps.objects.get(httpRouteFailuresObject.key(world.workspace, route.trigger.id)))?.value as {
        failures: { reason: string }[];
      };
    for (let count = 0; count < 5; count += 1) await recordRefusal(world.deps, route, "wrongKey");
    await recordRefusal(world.deps, route, "noCredential");
    expect((await load()).failures.map(({ reason }) => reason)).toEqual(["noCredential", "wrongKey"]);
    for (let count = 0; count < 25; count += 1) {
      world.clock.nowMs += 11_000;
      await recordRefusal(world.deps, route, "wrongKey");
    }
    expect((await load()).failures).toHaveLength(20);
  });
});
