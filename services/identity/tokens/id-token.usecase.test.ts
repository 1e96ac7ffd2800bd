import { createPublicKey } from "node:crypto";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { JobActor, Person } from "../../../core/people/actor.ts";
import { idTokenKeyObject } from "../../../core/people/id-token.ts";
import { publicKeyObject } from "../../../core/people/signing-key.ts";
import { aRunningJob } from "../../../test/builders/jobs.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { authenticate } from "../authenticate.ts";
import { describeIdTokenIssuer } from "./id-token.ts";
import { createJobToken } from "./job-token.ts";

type IdTokens = typeof import("./id-token.ts");
let world: World;
let createIdToken: IdTokens["createIdToken"];
let listIdTokenKeys: IdTokens["listIdTokenKeys"];
beforeAll(async () => {
  world = await newWorld();
  // A process reads the key of one table, and this one may have read that of another world.
  vi.resetModules();
  ({ createIdToken, listIdTokenKeys } = await import("./id-token.ts"));
});
const HOUR_S = 3600;
const request = (actor: Person | JobActor, fields: { audience?: string; expiresInS?: number } = {}) =>
  createIdToken(world.deps, { actor, workspace: world.workspace }, { audience: "sts.amazonaws.com", expiresInS: HOUR_S, ...fields });
const verify = async (token: string, audience = "sts.amazonaws.com") => {
  const keySet = createLocalJWKSet({ keys: await listIdTokenKeys(world.deps) });
  const { payload } = await jwtVerify(token, keySet, {
    ...{ issuer: "http://svc.test", audience, algorithms: ["RS256"] },
    currentDate: new Date(world.clock.nowMs),
  });
  return payload;
};

describe("an ID token", () => {
  it("verifies with the published keys, which contain nothing private, for its audience and its time", async () => {
    const published = await listIdTokenKeys(world.deps);
    expect(published.map((key) => Object.keys(key).sort())).toEqual([["alg", "e", "kid", "kty", "n", "use"]]);
    const token = await request(anAdmin);
    const nowS = Math.floor(world.clock.nowMs / 1000);
    expect(await verify(token)).toMatchObject({ iat: nowS, nbf: nowS, exp: nowS + HOUR_S, email: "ann@example.com", job_id: "" });
    await expect(verify(token, "api.acme.example")).rejects.toMatchObject({ code: "ERR_JWT_CLAIM_VALIDATION_FAILED" });
    world.clock.nowMs += (HOUR_S + 1) * 1000;
    await expect(verify(token)).rejects.toMatchObject({ code: "ERR_JWT_EXPIRED" });
    expect(describeIdTokenIssuer("http://svc.test")).toMatchObject({ jwks_uri: "http://svc.test/.well-known/jwks.json" });
  });

  it("has one key, even if the first calls arrive at the same time, and the table does not contain it in clear text", async () => {
    await world.deps.objects.deleteItem(idTokenKeyObject.key());
    const found = await Promise.all([1, 2, 3].map(() => listIdTokenKeys(world.deps)));
    expect(new Set(found.flat().map(({ kid }) => kid)).size).toBe(1);
    const stored = await world.deps.objects.get(idTokenKeyObject.key());
    expect(JSON.stringify(stored)).not.toMatch(/PRIVATE KEY|"d"/);
    // The process still has the key of before.
    world.clock.nowMs += 10 * 60_000;
    await verify(await request(anAdmin));
  });

  it("names the job whose token made the call", async () => {
    const job = aRunningJob({ workspace: world.workspace, path: "f/ops/hello", expiresAtMs: world.clock.nowMs + 3_600_000 });
    await world.deps.jobs.create(job, world.clock.nowMs);
    const { tokenHash: _, tokenPrefix: __, ...identity } = anAdmin;
    const actor: JobActor = { ...identity, kind: "job", jobId: job.id, attempt: 1, workspace: world.workspace, permissionedAs: "u/ann" };
    expect(await verify(await request(actor))).toMatchObject({ job_id: job.id, path: "f/ops/hello", workspace: world.workspace });
    const gone = { ...actor, jobId: "00000000-0000-4000-8000-000000000000" };
    await expect(request(gone)).rejects.toMatchObject({ code: "auth.invalid" });
  });

  it("ends with the token of the call", async () => {
    const tokenExpiresAtMs = world.clock.nowMs + 90_000;
    const { exp, iat } = decodeJwt(await request({ ...anAdmin, tokenExpiresAtMs }));
    expect((exp ?? 0) - (iat ?? 0)).toBeLessThanOrEqual(90);
  });

  it("is no token of this service, and a job's token is no ID token", async () => {
    const token = await request(anAdmin, { audience: "svc" });
    const { kid = "" } = decodeProtectedHeader(token);
    expect(await world.deps.objects.get(publicKeyObject.key(kid))).toBeUndefined();
    const [jwk] = await listIdTokenKeys(world.deps);
    // Not even if its key were that of job tokens.
    for (const publicKey of [async () => undefined, async () => createPublicKey({ key: { ...jwk }, format: "jwk" })]) {
      const deps = { objects: world.deps.objects, jobs: world.deps.jobs, publicKey, nowMs: world.deps.nowMs };
      await expect(authenticate(deps, token, {})).rejects.toMatchObject({ code: "auth.invalid" });
    }
    const ofJob = await createJobToken(await world.deps.signingKey(), aRunningJob(), world.clock.nowMs);
    await expect(verify(ofJob)).rejects.toThrow();
    const forged = await new SignJWT({ email: "ann@example.com" })
      .setProtectedHeader({ alg: "HS256", kid })
      .setIssuer("http://svc.test")
      .setAudience("sts.amazonaws.com")
      .sign(Buffer.from(jwk?.n ?? ""));
    await expect(verify(forged)).rejects.toThrow();
  });
});
