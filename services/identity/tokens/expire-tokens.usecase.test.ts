import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { INSTANCE } from "../../../contract/common.ts";
import type { NewToken } from "../../../contract/routes/people/tokens.ts";
import { mailNoticeSchema } from "../../../core/notifications/mail-notice.ts";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import type { Person } from "../../../core/people/actor.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import { hashToken, tokenObject, userTokenObject } from "../../../core/people/token.ts";
import { EXPIRY_SHARDS, tokenExpiryIndexObject, tokenExpiryObject } from "../../../core/people/token-expiry.ts";
import { expectToSurviveFaults, withFault } from "../../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addEndpoint, listEvents } from "../../../test/support/use-cases/world-events.ts";
import { addWorkspace, newIsolation } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { setWorkspaceArchived } from "../../workspaces/archive.ts";
import { updateMember } from "../../workspaces/members.ts";
import { buildMemberWrites } from "../../workspaces/workspaces.ts";
import { openSession, refreshSession, signOut } from "../sign-in/sign-in.ts";
import { updateUser } from "../users.ts";
import { expireTokens } from "./expire-tokens.ts";
import { indexTokenExpiries } from "./index-token-expiries.ts";
import { createToken, deleteAllTokens, deleteToken, listTokens, updateToken } from "./tokens.ts";

let world: World;
const enterWorld = async () => {
  world = await newWorld();
  await addWorkspace(world);
  await addEndpoint(world);
};
beforeAll(enterWorld);

const DAY_MS = 24 * 3600_000;
const WEEK_MS = 7 * DAY_MS;
const FOREVER = Number.POSITIVE_INFINITY;

/** A user who is a member of these workspaces. */
async function aPerson(workspaces = [world.workspace]): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  const person = { ...anAdmin, email, username: `n${randomUUID().slice(0, 8)}`, superAdmin: false };
  const createdAtMs = world.clock.nowMs;
  await world.deps.objects.put({ ...userObject.key(personKey(email)), value: { ...person, createdAtMs } });
  const member = { email, username: person.username, role: "developer" as const, createdAtMs };
  await Promise.all(workspaces.map((workspace) => world.deps.objects.transactWrite(buildMemberWrites(workspace, member))));
  return person;
}

/** Another workspace with an endpoint. */
async function anotherWorkspace(): Promise<string> {
  const workspace = `w-${randomUUID().slice(0, 12)}`;
  await addWorkspace({ ...world, workspace });
  await addEndpoint({ ...world, workspace });
  return workspace;
}

/** The types of the events that a workspace has received about the tokens of a user. */
async function eventsFor({ email }: Person, workspace = world.workspace) {
  const events = await listEvents({ ...world, workspace });
  return events.filter(({ data }) => (data as { email?: string }).email === email).map(({ type }) => type);
}
const BOTH = ["TokenExpiringSoon", "TokenExpired"];

/** The subjects of the mails to a user, the oldest first. */
async function mailsTo({ email }: Person): Promise<string[]> {
  const lists = [INSTANCE, world.workspace].map((workspace) => world.deps.objects.list(noticeObject.partitionKey(workspace)));
  const mails = (await Promise.all(lists)).flat().map(({ value }) => mailNoticeSchema.parse(value));
  const own = mails.filter(({ people }) => people.includes(email)).sort((a, b) => a.atMs - b.atMs);
  for (const { people } of own) expect(people).toEqual([email]);
  return own.map(({ subject }) => subject.replace(/\d{4}-\d\d-\d\d/, "a day"));
}
const [SOON, GONE] = ['Your token "ci" expires on a day', 'Your token "ci" has expired'];

const tick = () => expireTokens({ ...world.deps, isolation: newIsolation(world) }, FOREVER);

/** A token with this lifetime, by the clock of the world. */
async function aToken(person: Person, livesMs: number, more: Partial<NewToken> = {}) {
  const expiration = new Date(world.clock.nowMs + livesMs).toISOString();
  const value = await createToken(world.deps, person, { label: "ci", expiration, ...more });
  return { value, hash: hashToken(value), expiresAtMs: Date.parse(expiration) };
}

/** The entries of the index that belong to a person. */
async function entriesOf({ email }: Person) {
  const shards = Array.from({ length: EXPIRY_SHARDS }, (_, shard) => world.deps.objects.list(tokenExpiryObject.partitionKey(shard)));
  return (await Promise.all(shards)).flat().filter(({ value }) => (value as { email: string }).email === email);
}
const isStored = async (hash: string) => (await world.deps.objects.get(tokenObject.key(hash))) !== undefined;
const badges = async (person: Person) => (await listTokens(world.deps, person, {})).map(({ badge }) => badge);

/** Removes a token as DynamoDB does after its TTL. */
async function removeByTtl({ email }: Person, value: string): Promise<void> {
  const hash = hashToken(value);
  await world.deps.objects.deleteItem(tokenObject.key(hash));
  await world.deps.objects.deleteItem(userTokenObject.key(email, value.slice(0, 10), hash));
}

describe("a token that lives for a week or longer", () => {
  it("is announced a week before its end and deleted at its end, each once, even by two ticks at once", async () => {
    const person = await aPerson();
    const { hash, expiresAtMs } = await aToken(person, 40 * DAY_MS);
    expect([await tick(), await badges(person)]).toEqual([{ announced: 0, deleted: 0 }, ["none"]]);
    world.clock.nowMs = expiresAtMs - 20 * DAY_MS;
    expect([await tick(), await badges(person)]).toEqual([{ announced: 0, deleted: 0 }, ["soon"]]);
    world.clock.nowMs = expiresAtMs - WEEK_MS;
    expect((await Promise.all([tick(), tick(), tick()])).reduce((sum, { announced }) => sum + announced, 0)).toBe(1);
    expect([await tick(), await badges(person)]).toEqual([{ announced: 0, deleted: 0 }, ["critical"]]);
    expect([await eventsFor(person), await mailsTo(person)]).toEqual([["TokenExpiringSoon"], [SOON]]);
    world.clock.nowMs = expiresAtMs;
    expect([await isStored(hash), await badges(person)]).toEqual([true, ["expired"]]);
    expect((await Promise.all([tick(), tick(), tick()])).reduce((sum, { deleted }) => sum + deleted, 0)).toBe(1);
    expect([await tick(), await isStored(hash), await badges(person), await entriesOf(person)]).toEqual([
      { announced: 0, deleted: 0 },
      false,
      [],
      [],
    ]);
    expect([await eventsFor(person), await mailsTo(person)]).toEqual([BOTH, [SOON, GONE]]);
  });

  it("is deleted, and no longer announced, if housekeeping did not run in its last week", async () => {
    const person = await aPerson();
    const { expiresAtMs } = await aToken(person, 10 * DAY_MS);
    world.clock.nowMs = expiresAtMs + DAY_MS;
    expect(await tick()).toEqual({ announced: 0, deleted: 1 });
    expect([await entriesOf(person), await eventsFor(person)]).toEqual([[], ["TokenExpired"]]);
  });

  it("is announced and deleted once, whichever write of a tick fails", async () => {
    for (const before of [WEEK_MS, 0]) {
      await expectToSurviveFaults(async () => {
        const person = await aPerson();
        const { hash, expiresAtMs } = await aToken(person, 10 * DAY_MS);
        world.clock.nowMs = expiresAtMs - before;
        return {
          act: tick,
          recover: tick,
          check: async () => {
            const entries = await entriesOf(person);
            expect([await isStored(hash), entries.length]).toEqual(before > 0 ? [true, 1] : [false, 0]);
            expect(await tick()).toEqual({ announced: 0, deleted: 0 });
            expect(await eventsFor(person)).toEqual([before > 0 ? "TokenExpiringSoon" : "TokenExpired"]);
            expect(await mailsTo(person)).toEqual([before > 0 ? SOON : GONE]);
          },
        };
      });
    }
  });

  it("is reported as expired once when DynamoDB has already deleted it", async () => {
    const person = await aPerson();
    const { value, expiresAtMs } = await aToken(person, 10 * DAY_MS);
    world.clock.nowMs = expiresAtMs;
    await removeByTtl(person, value);
    expect([await tick(), await tick()]).toEqual([
      { announced: 0, deleted: 1 },
      { announced: 0, deleted: 0 },
    ]);
    expect(await eventsFor(person)).toEqual(["TokenExpired"]);
  });
});

describe("the events of a token", () => {
  const lastDays = async (expiresAtMs: number) => {
    for (const before of [WEEK_MS, 0]) {
      world.clock.nowMs = expiresAtMs - before;
      await tick();
    }
  };

  it("name its first characters, label, owner and end, and contain neither its value nor its hash", async () => {
    const person = await aPerson();
    const { value, hash, expiresAtMs } = await aToken(person, 10 * DAY_MS);
    await lastDays(expiresAtMs);
    const events = (await listEvents(world)).filter(({ data }) => (data as { email?: string }).email === person.email);
    const data = { token_prefix: value.slice(0, 10), label: "ci", email: person.email, expiration: new Date(expiresAtMs).toISOString() };
    expect(events).toMatchObject(BOTH.map((type) => ({ type, workspace: world.workspace, by: "svc", data })));
    for (const event of events) expect(event.data).toEqual(data);
    for (const secret of [value, hash]) expect(JSON.stringify(events)).not.toContain(secret);
  });

  it("go to the workspace to which it is bound, and otherwise to each workspace of its owner", async () => {
    const [first, second, foreign] = [await anotherWorkspace(), await anotherWorkspace(), await anotherWorkspace()];
    const [bound, unbound] = [await aPerson([first, second]), await aPerson([first, second])];
    await aToken(bound, 10 * DAY_MS, { workspace_id: first });
    const { expiresAtMs } = await aToken(unbound, 10 * DAY_MS);
    await lastDays(expiresAtMs);
    const listReceivedEvents = (person: Person) => Promise.all([first, second, foreign].map((workspace) => eventsFor(person, workspace)));
    expect([await listReceivedEvents(bound), await listReceivedEvents(unbound)]).toEqual([
      [BOTH, [], []],
      [BOTH, BOTH, []],
    ]);
  });

  it("do not go to archived workspaces, nor to those where its owner is disabled", async () => {
    const [archived, disabled] = [await anotherWorkspace(), await anotherWorkspace()];
    const [person, bound] = [await aPerson([archived, disabled]), await aPerson([archived])];
    await updateMember(world.deps, disabled, person.username, { disabled: true });
    await setWorkspaceArchived(world.deps, archived, true);
    await aToken(bound, 10 * DAY_MS, { workspace_id: archived });
    const { expiresAtMs } = await aToken(person, 10 * DAY_MS);
    await lastDays(expiresAtMs);
    expect(await Promise.all([eventsFor(person, archived), eventsFor(person, disabled), eventsFor(bound, archived)])).toEqual([[], [], []]);
    expect([await badges(person), await badges(bound)]).toEqual([[], []]);
  });

  it("go once to more workspaces than one transaction can contain, by ticks at once and after a death between two transactions", async () => {
    const workspaces = await Promise.all(Array.from({ length: 85 }, anotherWorkspace));
    const person = await aPerson(workspaces);
    const { hash, expiresAtMs } = await aToken(person, 10 * DAY_MS);
    const listReceivedEvents = async () => {
      const all = await Promise.all(workspaces.map((workspace) => eventsFor(person, workspace)));
      return [...new Set(all.map((types) => types.join()))];
    };
    for (const [before, seen] of [[WEEK_MS, BOTH.slice(0, 1)] as const, [0, BOTH] as const]) {
      world.clock.nowMs = expiresAtMs - before;
      await withFault({ write: 2, moment: "before", kind: "death" }, tick);
      expect(await isStored(hash)).toBe(before > 0);
      expect(await listReceivedEvents()).toHaveLength(2);
      await Promise.all([tick(), tick()]);
      expect(await listReceivedEvents()).toEqual([seen.join()]);
    }
    expect([await entriesOf(person), await mailsTo(person)]).toEqual([[], [SOON, GONE]]);
  });
});

describe("the mails about a token", () => {
  it("belong to the workspace to which it is bound, with which they are deleted", async () => {
    const person = await aPerson();
    const { expiresAtMs } = await aToken(person, 10 * DAY_MS, { workspace_id: world.workspace });
    world.clock.nowMs = expiresAtMs;
    await tick();
    expect(await mailsTo(person)).toEqual([GONE]);
    const of = await world.deps.objects.list(noticeObject.partitionKey(world.workspace));
    expect(of.map(({ value }) => (value as { people: string[] }).people[0])).toContain(person.email);
  });

  it("do not go to a disabled user, nor to an address whose user is gone", async () => {
    for (const change of [
      (person: Person) => updateUser(world.deps, person.email, { disabled: true }),
      (person: Person) => world.deps.objects.deleteItem(userObject.key(personKey(person.email))),
    ]) {
      const person = await aPerson();
      const { expiresAtMs } = await aToken(person, 10 * DAY_MS);
      await change(person);
      world.clock.nowMs = expiresAtMs;
      expect([await tick(), await mailsTo(person)]).toEqual([{ announced: 0, deleted: 1 }, []]);
    }
  });
});

describe("a session, and a token that lives for less than a week,", () => {
  it("is deleted without an announcement", async () => {
    const person = await aPerson();
    await aToken(person, WEEK_MS - 1);
    await openSession(world.deps, { ...person, createdAtMs: 0 }, { operation: "users.login", address: "" });
    world.clock.nowMs += WEEK_MS;
    expect(await tick()).toEqual({ announced: 0, deleted: 1 });
    world.clock.nowMs += WEEK_MS;
    expect(await tick()).toEqual({ announced: 0, deleted: 1 });
    expect(await Promise.all([badges(person), entriesOf(person), eventsFor(person), mailsTo(person)])).toEqual([[], [], [], []]);
  });
});

describe("the index entry of a token", () => {
  it("disappears with the token: deleted by its owner, refreshed, signed out, or removed with all tokens of a user", async () => {
    const person = await aPerson();
    for (const livesMs of [DAY_MS, 20 * DAY_MS]) {
      const { value, expiresAtMs } = await aToken(person, livesMs);
      if (livesMs > WEEK_MS) {
        world.clock.nowMs = expiresAtMs - WEEK_MS;
        await tick();
      }
      expect(await entriesOf(person)).toHaveLength(1);
      await deleteToken(world.deps, person, value);
      expect(await entriesOf(person)).toEqual([]);
    }
    const session = await openSession(world.deps, { ...person, createdAtMs: 0 }, { operation: "users.login", address: "" });
    const actor = { ...person, tokenHash: hashToken(session) };
    const renewed = (await refreshSession(world.deps, actor, undefined)) ?? "";
    expect((await entriesOf(person)).map(({ value }) => (value as { hash: string }).hash)).toEqual([hashToken(renewed)]);
    await signOut(world.deps, renewed);
    expect(await entriesOf(person)).toEqual([]);
    await aToken(person, 20 * DAY_MS);
    await deleteAllTokens(world.deps, person.email);
    expect(await entriesOf(person)).toEqual([]);
  });

  it("has the new label of its token, whichever write of the change fails, and keeps its position", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const { value, expiresAtMs } = await aToken(person, 20 * DAY_MS);
      world.clock.nowMs = expiresAtMs - WEEK_MS;
      await tick();
      const act = () => updateToken(world.deps, person, value, { label: "new" });
      return {
        act,
        recover: act,
        check: async () => {
          expect(await entriesOf(person)).toMatchObject([{ value: { label: "new" } }]);
          expect(await tick()).toEqual({ announced: 0, deleted: 0 });
        },
      };
    });
  });
});

describe("a token that an earlier release stored without an index entry", () => {
  beforeEach(enterWorld);

  /** Removes the entry, as if no entry had ever been written, and every trace of the index. */
  async function forget(person: Person): Promise<void> {
    for (const entry of await entriesOf(person)) await world.deps.objects.deleteItem(entry);
    await world.deps.objects.deleteItem(tokenExpiryIndexObject.key());
  }

  it("gets one after the upgrade, is announced and deleted, and the users are not read again later", async () => {
    const person = await aPerson();
    const { expiresAtMs } = await aToken(person, 20 * DAY_MS);
    await forget(person);
    expect(await indexTokenExpiries(world.deps, FOREVER)).toBe(1);
    expect(await entriesOf(person)).toHaveLength(1);
    const late = await aPerson();
    await aToken(late, 10 * DAY_MS);
    for (const entry of await entriesOf(late)) await world.deps.objects.deleteItem(entry);
    expect(await indexTokenExpiries(world.deps, FOREVER)).toBe(0);
    world.clock.nowMs += 3600_000;
    expect(await indexTokenExpiries(world.deps, FOREVER)).toBe(1);
    world.clock.nowMs = expiresAtMs - WEEK_MS;
    expect(await tick()).toEqual({ announced: 1, deleted: 1 });
    await forget(person);
    await world.deps.objects.put({ ...tokenExpiryIndexObject.key(), value: { sinceMs: 0, pass: "done", after: "" } });
    expect(await indexTokenExpiries(world.deps, FOREVER)).toBe(0);
  });

  it("gets one although each tick ends after one user or dies at any write", async () => {
    await expectToSurviveFaults(async () => {
      await enterWorld();
      const people = [await aPerson(), await aPerson()];
      for (const person of people) {
        await aToken(person, 20 * DAY_MS);
        await forget(person);
      }
      const everything = async () => {
        for (let round = 0; round < 10; round += 1) await indexTokenExpiries(world.deps, 0);
      };
      return {
        act: () => indexTokenExpiries(world.deps, FOREVER),
        recover: everything,
        check: async () => {
          for (const person of people) expect(await entriesOf(person)).toHaveLength(1);
        },
      };
    });
  });

  it("gets one when its label changes first, and a token that was announced is not announced again", async () => {
    const person = await aPerson();
    const { value, expiresAtMs } = await aToken(person, 20 * DAY_MS);
    await forget(person);
    await updateToken(world.deps, person, value, { label: "new" });
    expect(await entriesOf(person)).toMatchObject([{ value: { label: "new" } }]);
    world.clock.nowMs = expiresAtMs - WEEK_MS;
    expect(await tick()).toMatchObject({ announced: 1 });
    await world.deps.objects.deleteItem(tokenExpiryIndexObject.key());
    expect(await indexTokenExpiries(world.deps, FOREVER)).toBe(0);
    expect(await tick()).toEqual({ announced: 0, deleted: 0 });
  });
});
