import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { INSTANCE } from "../../../contract/common.ts";
import type { AuditJson } from "../../../contract/routes/workspaces/audit.ts";
import { throttleRules } from "../../../core/people/sign-in-throttle.ts";
import { userTokenObject } from "../../../core/people/token.ts";
import { withFault } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { listInstanceAudit } from "../../audit/audit.ts";
import { createUser, updateUser } from "../users.ts";
import { setPassword, signIn } from "./sign-in.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

/** The user pool, and the passwords that it has checked. */
const passwords = new Map<string, string>();
const checked: string[] = [];
const people = {
  hasPasswords: () => true,
  ensureUser: async (email: string, password: string) => void passwords.set(email, password),
  checkPassword: async (email: string, password: string) => {
    checked.push(password);
    return passwords.get(email) === password;
  },
} as unknown as Parameters<typeof createUser>[0]["people"];
const deps = () => ({ ...world.deps, people });

const RIGHT = "correct horse";
const HOME = "203.0.113.9";
async function aUser(): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  await createUser(deps(), { email, password: RIGHT, super_admin: false });
  return email;
}
let lastHost = 0;
/** An address that has not made any call yet. */
function newAddress(): string {
  lastHost += 1;
  return `198.51.${Math.floor(lastHost / 256)}.${lastHost % 256}`;
}

/** Returns `in`, or the code of the refusal with the seconds to wait. */
async function attempt(email: string, password: string, address: string): Promise<string> {
  try {
    await signIn(deps(), { email, password, address });
    return "in";
  } catch (error) {
    const { code, details } = error as { code: string; details: { retryAfterS?: number } };
    return [code, details.retryAfterS].filter((part) => part !== undefined).join(" ");
  }
}
async function attempts(count: number, email: string, password: string, address = newAddress()): Promise<string[]> {
  const answers: string[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await attempt(email, password, address));
  return answers;
}
const refused = (count: number) => Array.from({ length: count }, () => "login.refused");
const audit = async (query: object): Promise<AuditJson[]> => (await listInstanceAudit(world.deps, { per_page: 100, ...query })).entries;

describe("failed sign-ins of an account", () => {
  it("are delayed after five, for longer each time, also with the right password and from other addresses", async () => {
    const email = await aUser();
    expect(await attempts(5, email, "wrong")).toEqual(refused(5));
    for (const waitS of [1, 2, 4, 8]) {
      expect(await attempt(email, RIGHT, newAddress())).toBe(`login.throttled ${waitS}`);
      world.clock.nowMs += waitS * 1000;
      expect(await attempt(email, "wrong", newAddress())).toBe("login.refused");
    }
    expect(checked).not.toContain(RIGHT);
  });

  it("are counted before the password is checked, so that simultaneous attempts cannot avoid the delay", async () => {
    const email = await aUser();
    checked.length = 0;
    const addresses = Array.from({ length: 20 }, newAddress);
    const answers = await Promise.all(addresses.map((address, index) => attempt(email, `guess ${index}`, address)));
    expect(checked.length).toBeLessThanOrEqual(throttleRules.account.free);
    expect(answers.filter((answer) => answer === "login.refused")).toHaveLength(checked.length);
    expect(new Set(answers.filter((answer) => answer !== "login.refused"))).toEqual(new Set(["login.throttled 1"]));
  });

  it("are counted if the process dies before its reply", async () => {
    const email = await aUser();
    for (let index = 0; index < 5; index += 1) {
      await withFault({ write: 1, moment: "after", kind: "death" }, () => attempt(email, "wrong", newAddress()));
    }
    expect(await attempt(email, "wrong", newAddress())).toBe("login.throttled 1");
  });

  it("are forgotten after a success, and one by one over time", async () => {
    const email = await aUser();
    await attempts(4, email, "wrong");
    expect(await attempt(email, RIGHT, newAddress())).toBe("in");
    expect(await attempts(6, email, "wrong")).toEqual([...refused(5), "login.throttled 1"]);
    world.clock.nowMs += 2 * throttleRules.account.forgottenMs;
    expect(await attempts(3, email, "wrong")).toEqual([...refused(2), "login.throttled 1"]);
  });

  it("do not delay the user at an address where they have signed in", async () => {
    const email = await aUser();
    expect(await attempt(email, RIGHT, HOME)).toBe("in");
    await attempts(50, email, "wrong");
    expect(await attempt(email, RIGHT, newAddress())).toMatch(/^login\.throttled /);
    expect(await attempt(email, RIGHT, HOME)).toBe("in");
    expect(await attempts(6, email, "wrong", HOME)).toEqual([...refused(5), "login.throttled 1"]);
  });

  it("are delayed for an unknown address and a disabled user in the same way", async () => {
    const disabled = await aUser();
    await updateUser(world.deps, disabled, { disabled: true });
    for (const email of [disabled, `${randomUUID()}@example.com`]) {
      expect(await attempts(6, email, RIGHT)).toEqual([...refused(5), "login.throttled 1"]);
    }
  });

  it("are counted together for all spellings of the e-mail address", async () => {
    const email = await aUser();
    expect([...(await attempts(3, email, "wrong")), ...(await attempts(3, email.toUpperCase(), "wrong"))]).toEqual([
      ...refused(5),
      "login.throttled 1",
    ]);
  });
});

describe("sign-ins from one address", () => {
  it("are delayed after many failures on any accounts, and successes do not reset the count", async () => {
    const [address, own] = [newAddress(), await aUser()];
    const answers: string[] = [];
    while (answers.length < throttleRules.address.free && !answers.at(-1)?.includes("throttled")) {
      answers.push(await attempt(`${randomUUID()}@example.com`, "Summer2026", address));
      if (answers.length % 30 === 0) expect(await attempt(own, RIGHT, address)).toBe("in");
    }
    expect(answers).toEqual(refused(throttleRules.address.free));
    expect(await attempt(await aUser(), RIGHT, address)).toBe("login.throttled 1");
    expect(await attempt(await aUser(), RIGHT, newAddress())).toBe("in");
  });

  it("of a whole office at the same time are all answered", async () => {
    const [address, users] = [newAddress(), await Promise.all(Array.from({ length: 5 }, aUser))];
    expect(await Promise.all(users.map((email) => attempt(email, RIGHT, address)))).toEqual(users.map(() => "in"));
  });
});

describe("the old password in a change of password", () => {
  it("is throttled as in a sign-in", async () => {
    const email = await aUser();
    const change = (old: string) =>
      setPassword(deps(), { ...anAdmin, email }, { password: "new", old, address: HOME }).then(
        () => "changed",
        ({ code }: { code: string }) => code,
      );
    for (let index = 0; index < 5; index += 1) expect(await change("wrong")).toBe("user.oldPassword");
    expect(await change(RIGHT)).toBe("login.throttled");
    world.clock.nowMs += 1000;
    expect(await change(RIGHT)).toBe("changed");
    expect(passwords.get(email)).toBe("new");
  });
});

describe("the audit log of the instance", () => {
  it("contains sign-ins with the prefix of their token, and failures, each with the address", async () => {
    const email = await aUser();
    await attempt(email, "planted-guess", HOME);
    world.clock.nowMs += 1;
    const token = await signIn(deps(), { email, password: RIGHT, address: "2001:db8:0:7::1" });
    const entries = await audit({ username: email });
    expect(entries).toMatchObject([
      {
        operation: "users.login",
        action_kind: "Created",
        resource: token.slice(0, 10),
        workspace_id: INSTANCE,
        parameters: { address: "2001:db8:0:7::1" },
      },
      { operation: "users.login_failure", parameters: { address: HOME } },
    ]);
    expect(JSON.stringify(entries)).not.toContain("planted-guess");
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  it("has no sign-in without a session, and no session without a sign-in", async () => {
    const email = await aUser();
    for (const moment of ["before", "after"] as const) {
      // The last write of a sign-in creates the session.
      for (let write = 1; write < 12; write += 1) await withFault({ write, moment, kind: "death" }, () => attempt(email, RIGHT, HOME));
    }
    const sessions = await world.deps.objects.list(userTokenObject.partitionKey(email), { beginsWith: "token#" });
    expect(await audit({ username: email, operation: "users.login" })).toHaveLength(sessions.length);
  });

  it("cannot be filled with failures by strangers, and does not show what they typed as the e-mail address", async () => {
    world.clock.nowMs += 24 * 3600_000;
    const victim = await aUser();
    const since = new Date(world.clock.nowMs - 1).toISOString();
    for (let index = 0; index < 60; index += 1) await attempt(`typed-${index}@example.com`, "wrong", newAddress());
    for (let index = 0; index < 60; index += 1) await attempt(victim, "wrong", newAddress());
    const entries = await audit({ after: since, operation: "users.login_failure" });
    const free = throttleRules.auditEntries.free;
    expect(entries.filter(({ username }) => username === "unknown")).toHaveLength(free);
    expect(entries.filter(({ username }) => username === victim)).toHaveLength(throttleRules.account.free);
    expect(JSON.stringify(entries)).not.toContain("typed-");
  });
});
