import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import type { AuditJson } from "../../../contract/routes/workspaces/audit.ts";
import type { Actor, Person } from "../../../core/people/actor.ts";
import { DEVICE_GRANT_TYPE, deviceGrantObject } from "../../../core/people/device-grant.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import { throttleRules } from "../../../core/people/sign-in-throttle.ts";
import { hashToken, tokenObject } from "../../../core/people/token.ts";
import { withFault } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { listInstanceAudit } from "../../audit/audit.ts";
import { authenticate } from "../authenticate.ts";
import { listTokens } from "../tokens/tokens.ts";
import { createUser, deleteUser, updateUser } from "../users.ts";
import { decideDeviceRequest, getDeviceRequest, redeemDeviceCode, requestDeviceCode } from "./device-grant.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
});
const people = { deleteUser: async () => {} } as unknown as Parameters<typeof createUser>[0]["people"];
const deps = () => ({ ...world.deps, people });

let lastHost = 0;
/** An address that has not made any call yet. */
function newAddress(): string {
  lastHost += 1;
  return `198.51.${Math.floor(lastHost / 256)}.${lastHost % 256}`;
}

/** A user as the caller behind a session. */
async function aUser(superAdmin = false): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  await createUser(deps(), { email, super_admin: superAdmin });
  return { ...anAdmin, email, username: email, superAdmin };
}

const request = (clientName: string | undefined = "laptop", address = newAddress()) => requestDeviceCode(deps(), { clientName, address });
const decide = (actor: Actor, userCode: string, approve = true) => decideDeviceRequest(deps(), actor, { userCode, approve });
const redeem = (deviceCode: string, grantType: string = DEVICE_GRANT_TYPE) => redeemDeviceCode(deps(), { deviceCode, grantType });
/** Returns `done`, or the code of the refusal. */
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
const wait = (seconds: number) => {
  world.clock.nowMs += seconds * 1000;
};
const storedGrant = async (deviceCode: string) => (await world.deps.objects.get(deviceGrantObject.key(hashToken(deviceCode))))?.value;

describe("a device", () => {
  it("gets a token of the user who allows it, with the client's name, for 90 days, and with an entry in the audit log", async () => {
    const user = await aUser();
    const { deviceCode, userCode, grant } = await request(" my\u202Elaptop ", "203.0.113.9");
    expect(userCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect(grant.expiresAtMs - world.clock.nowMs).toBe(600_000);
    expect(await codeOf(redeem(deviceCode))).toBe("device.pending");
    expect(await getDeviceRequest(deps(), user, userCode.toLowerCase().replace("-", " "))).toEqual({
      user_code: userCode,
      client_name: "my laptop",
      requested_at: new Date(grant.requestedAtMs).toISOString(),
      expires_at: new Date(grant.expiresAtMs).toISOString(),
      address: "203.0.113.9",
    });
    expect(await decide(user, userCode)).toBe("svc on my laptop");
    wait(60);
    const { token, expiresInS } = await redeem(deviceCode);
    expect(expiresInS).toBe(limits.deviceTokenMs / 1000 - 60);

    const { actor } = await authenticate({ ...world.deps, publicKey: async () => undefined }, token);
    expect(actor).toMatchObject({ email: user.email, superAdmin: false, kind: "person" });
    expect(await listTokens(world.deps, user, {})).toMatchObject([{ label: "svc on my laptop", read_only: false, badge: "none" }]);
    const { entries } = await listInstanceAudit(world.deps, { username: user.email });
    expect(entries.map(({ operation, resource, parameters }: AuditJson) => ({ operation, resource, parameters }))).toEqual([
      {
        operation: "users.token.create",
        resource: token.slice(0, 10),
        parameters: { device: "svc on my laptop", address: "203.0.113.9" },
      },
    ]);
  });

  it("leaves neither its code nor the token in the table", async () => {
    const user = await aUser();
    const { deviceCode, userCode } = await request();
    const before = JSON.stringify(await storedGrant(deviceCode));
    await decide(user, userCode);
    const between = JSON.stringify(await storedGrant(deviceCode));
    const { token } = await redeem(deviceCode);
    const after = JSON.stringify(await storedGrant(deviceCode));
    for (const secret of [deviceCode, token]) expect([before, between, after].join()).not.toContain(secret);
    expect(between).toContain(user.email);
    expect(after).not.toContain(user.email);
  });

  it("gets the token once, even with several simultaneous polls", async () => {
    const user = await aUser();
    const { deviceCode, userCode } = await request();
    await decide(user, userCode);
    const answers = await Promise.all(Array.from({ length: 5 }, () => codeOf(redeem(deviceCode))));
    expect(answers.sort()).toEqual([...Array.from({ length: 4 }, () => "device.invalidCode"), "done"]);
    expect(await codeOf(redeem(deviceCode))).toBe("device.invalidCode");
    expect(await listTokens(world.deps, user, {})).toHaveLength(1);
  });

  it("gets no second token if the process dies before its reply, and can repeat a poll that died before the write", async () => {
    const user = await aUser();
    const { deviceCode, userCode } = await request();
    await decide(user, userCode);
    await withFault({ write: 1, moment: "before", kind: "death" }, () => codeOf(redeem(deviceCode)));
    expect(await listTokens(world.deps, user, {})).toHaveLength(0);
    await withFault({ write: 1, moment: "after", kind: "death" }, () => codeOf(redeem(deviceCode)));
    expect(await codeOf(redeem(deviceCode))).toBe("device.invalidCode");
    expect(await listTokens(world.deps, user, {})).toHaveLength(1);
  });

  it("that polls too fast is slowed down, and accepted again after the longer interval", async () => {
    const { deviceCode } = await request();
    expect(await codeOf(redeem(deviceCode))).toBe("device.pending");
    wait(4);
    await expect(redeem(deviceCode)).rejects.toMatchObject({ code: "device.slowDown", details: { intervalS: 10 } });
    wait(5);
    await expect(redeem(deviceCode)).rejects.toMatchObject({ code: "device.slowDown", details: { intervalS: 15 } });
    wait(15);
    expect(await codeOf(redeem(deviceCode))).toBe("device.pending");
  });

  it("whose polls arrive at once is slowed down too", async () => {
    const { deviceCode } = await request();
    const answers = await Promise.all(Array.from({ length: 3 }, () => codeOf(redeem(deviceCode))));
    expect(answers.sort()).toEqual(["device.pending", "device.slowDown", "device.slowDown"]);
  });

  it("that its user refuses, or that is too late, gets no token", async () => {
    const user = await aUser();
    const refused = await request();
    await decide(user, refused.userCode, false);
    expect(await codeOf(redeem(refused.deviceCode))).toBe("device.denied");
    const [open, allowed] = [await request(), await request()];
    await decide(user, allowed.userCode);
    wait(limits.deviceGrantMs / 1000);
    expect([await codeOf(redeem(open.deviceCode)), await codeOf(redeem(allowed.deviceCode))]).toEqual(["device.expired", "device.expired"]);
    expect(await codeOf(decide(user, open.userCode))).toBe("device.notFound");
    expect(await listTokens(world.deps, user, {})).toEqual([]);
  });

  it("with an unknown code, or with another grant, is refused", async () => {
    const { deviceCode, userCode } = await request();
    expect(await codeOf(redeem("x".repeat(43)))).toBe("device.invalidCode");
    expect(await codeOf(redeem(userCode))).toBe("device.invalidCode");
    expect(await codeOf(redeem(deviceCode, "authorization_code"))).toBe("device.grantType");
  });

  it("gets no token of a user who was disabled or deleted after the decision, also if the user is enabled again", async () => {
    const [disabled, deleted] = [await aUser(), await aUser()];
    const [first, second] = [await request(), await request()];
    await decide(disabled, first.userCode);
    await decide(deleted, second.userCode);
    await updateUser(world.deps, disabled.email, { disabled: true });
    await deleteUser(deps(), deleted.email);
    expect([await codeOf(redeem(first.deviceCode)), await codeOf(redeem(second.deviceCode))]).toEqual(["device.denied", "device.denied"]);
    await updateUser(world.deps, disabled.email, { disabled: false });
    expect(await codeOf(redeem(first.deviceCode))).toBe("device.denied");
  });

  it("has the rights of a superadmin only if the approver's token and the user both have them", async () => {
    const [admin, former] = [await aUser(true), await aUser(true)];
    const cases: [Person, boolean][] = [
      [admin, true],
      [{ ...admin, superAdmin: false }, false],
      [former, false],
    ];
    for (const [actor, expected] of cases) {
      const { deviceCode, userCode } = await request();
      await decide(actor, userCode);
      if (actor === former)
        await world.deps.objects.update({
          ...userObject.key(personKey(former.email)),
          value: { ...(await userOf(former)), superAdmin: false },
        });
      const { token } = await redeem(deviceCode);
      const { value } = (await world.deps.objects.get(tokenObject.key(hashToken(token)))) ?? {};
      expect(value).toMatchObject({ superAdmin: expected });
    }
  });
  const userOf = async ({ email }: Person) => (await world.deps.objects.get(userObject.key(personKey(email))))?.value as object;
});

describe("a decision", () => {
  it("is made once, by one of several simultaneous users", async () => {
    const users = [await aUser(), await aUser(), await aUser()];
    const { deviceCode, userCode } = await request();
    const answers = await Promise.all(users.map((user, index) => codeOf(decide(user, userCode, index !== 1))));
    expect(answers.filter((answer) => answer === "done")).toHaveLength(1);
    expect(answers.filter((answer) => answer === "device.decided")).toHaveLength(2);
    for (const user of users) expect(await codeOf(decide(user, userCode))).toBe("device.decided");
    const winner = answers.indexOf("done");
    expect(await codeOf(redeem(deviceCode))).toBe(winner === 1 ? "device.denied" : "done");
  });

  it("is not lost while the device polls", async () => {
    const user = await aUser();
    const { deviceCode, userCode } = await request();
    const polls = Promise.all(Array.from({ length: 4 }, () => codeOf(redeem(deviceCode))));
    expect(await codeOf(decide(user, userCode))).toBe("done");
    if (!(await polls).includes("done")) expect(await codeOf(redeem(deviceCode))).toBe("done");
  });

  it.each<[string, Partial<Person>, string]>([
    ["with scopes", { scopes: ["jobs:run"] }, "token.tooWide"],
    ["that is read-only", { readOnly: true }, "token.tooWide"],
    ["for one workspace", { workspace: "w" }, "token.tooWide"],
    ["that expires earlier than the device's", { tokenExpiresAtMs: Date.now() + 24 * 3600_000 }, "token.tooWide"],
  ])("is not possible with a token %s", async (_, limit, code) => {
    const user = { ...(await aUser()), ...limit };
    const { userCode } = await request();
    expect([await codeOf(getDeviceRequest(deps(), user, userCode)), await codeOf(decide(user, userCode))]).toEqual([code, code]);
  });

  it("is not possible for a job", async () => {
    const { email, username } = await aUser();
    const job: Actor = { kind: "job", email, username, superAdmin: false, jobId: "j", attempt: 1, workspace: "w", permissionedAs: "u/x" };
    const { userCode } = await request();
    expect([await codeOf(getDeviceRequest(deps(), job, userCode)), await codeOf(decide(job, userCode))]).toEqual([
      "token.notForJobs",
      "token.notForJobs",
    ]);
  });
});

describe("limits", () => {
  it("the codes that a user guesses are delayed, also for simultaneous guesses, and correct codes do not count", async () => {
    const user = await aUser();
    const { userCode } = await request();
    for (let index = 0; index < 2 * throttleRules.deviceCode.free; index += 1) {
      expect(await codeOf(getDeviceRequest(deps(), user, userCode))).toBe("done");
    }
    const guesses = await Promise.all(Array.from({ length: 14 }, () => codeOf(getDeviceRequest(deps(), user, "BCDF-GHJK"))));
    expect(guesses.filter((answer) => answer === "device.notFound").length).toBeLessThanOrEqual(throttleRules.deviceCode.free);
    while ((await codeOf(getDeviceRequest(deps(), user, "not a code"))) === "device.notFound");
    expect(await codeOf(decide(user, userCode))).toBe("device.throttled");
    expect(await codeOf(decide(await aUser(), userCode))).toBe("done");
  });

  it("the requests of one address are delayed, and those of others are not", async () => {
    const address = newAddress();
    const { free } = throttleRules.deviceAddress;
    for (let index = 0; index < free; index += 1) expect(await codeOf(request("one", address))).toBe("done");
    await expect(request("one", address)).rejects.toMatchObject({ code: "device.throttled", details: { retryAfterS: 1 } });
    expect(await codeOf(request("other"))).toBe("done");
    wait(1);
    expect(await codeOf(request("one", address))).toBe("done");
  });
});
