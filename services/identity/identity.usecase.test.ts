import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { keys } from "../../core/objects/keys.ts";
import type { Person } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { hashToken } from "../../core/people/token.ts";
import { countWrite, expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { addWorkspace } from "../../test/support/use-cases/room-jobs.ts";
import { repeat } from "../../test/support/use-cases/room-objects.ts";
import { anAdmin } from "../../test/support/use-cases/room-people.ts";
import { addMember, isMember } from "../workspaces/members.ts";
import { authenticate } from "./authenticate.ts";
import { createToken, deleteToken, listTokens, updateToken } from "./tokens.ts";
import { createUser, deleteUser, personExists } from "./users.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
});

/** The accounts of the user pool, whose calls may fail too. */
const accounts = new Set<string>();
const people = {
  ensure: (email: string) => countWrite("SetPassword", async () => void accounts.add(email)),
  remove: (email: string) => countWrite("DeleteAccount", async () => void accounts.delete(email)),
} as unknown as Parameters<typeof createUser>[0]["people"];
const users = () => ({ ...room.deps, people });

const newEmail = () => `${randomUUID()}@example.com`;
async function aPerson(): Promise<Person> {
  const email = newEmail();
  await createUser(users(), { email, password: "correct horse", super_admin: false });
  return { ...anAdmin, email, superAdmin: false };
}
const signIn = (token: string) =>
  authenticate({ ...room.deps, publicKey: async () => undefined }, token).then(
    ({ actor }) => actor.email,
    (error: { code?: string }) => error.code,
  );
/** The stored tokens of a person: each is listed, and works, or neither. */
async function storedTokens({ email }: Person): Promise<string[]> {
  const listed = await room.deps.objects.list(keys.userToken(email, "", "").pk, { beginsWith: "token#" });
  for (const { value } of listed) {
    const { hash } = value as { hash: string };
    expect((await room.deps.objects.get(keys.token(hash)))?.value).toEqual(value);
  }
  return listed.map(({ value }) => (value as { hash: string }).hash);
}

describe("tokens, whichever write of theirs fails,", () => {
  it("are created whole: each answered value works, and each one that is listed can be deleted", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const answered: string[] = [];
      const act = async () => void answered.push(await createToken(room.deps, person, { label: "ci" }));
      return {
        act,
        recover: act,
        check: async () => {
          for (const value of answered) expect(await signIn(value)).toBe(person.email);
          expect(await storedTokens(person)).toEqual(expect.arrayContaining(answered.map(hashToken)));
          for (const { token_prefix: prefix } of await listTokens(room.deps, person, {})) await deleteToken(room.deps, person, prefix);
          expect(await storedTokens(person)).toEqual([]);
          for (const value of answered) expect(await signIn(value)).toBe("auth.invalid");
        },
      };
    });
  });

  it("are deleted, or changed, in both of their places", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const [first, second] = [await createToken(room.deps, person, {}), await createToken(room.deps, person, {})];
      const change = () => updateToken(room.deps, person, first, { label: "new" });
      const remove = () => deleteToken(room.deps, person, second);
      return {
        act: async () => {
          await change();
          await remove();
        },
        recover: async () => {
          await change();
          await repeat(remove, ["token.notFound"]);
        },
        check: async () => {
          expect(await storedTokens(person)).toEqual([hashToken(first)]);
          expect(await listTokens(room.deps, person, {})).toMatchObject([{ label: "new" }]);
          expect([await signIn(first), await signIn(second)]).toEqual([person.email, "auth.invalid"]);
        },
      };
    });
  });

  it("stay valid while their last use is recorded, until they expire", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const expiration = new Date(room.clock.nowMs + 10 * 24 * 3600_000).toISOString();
      const value = await createToken(room.deps, person, { expiration });
      room.clock.nowMs += 24 * 3600_000;
      return {
        act: () => authenticate({ ...room.deps, publicKey: async () => undefined }, value),
        recover: async () => undefined,
        check: async () => {
          expect(await signIn(value)).toBe(person.email);
          room.clock.nowMs = Date.parse(expiration);
          expect(await signIn(value)).toBe("auth.invalid");
          expect(await listTokens(room.deps, person, {})).toEqual([]);
        },
      };
    });
  });

  it("do not come back when they are deleted while they are changed and used", async () => {
    for (let round = 0; round < 6; round += 1) {
      const person = await aPerson();
      const value = await createToken(room.deps, person, {});
      room.clock.nowMs += 24 * 3600_000;
      await Promise.allSettled([
        signIn(value),
        updateToken(room.deps, person, value, { label: "new" }),
        deleteToken(room.deps, person, value),
        signIn(value),
      ]);
      expect(await signIn(value)).toBe("auth.invalid");
      expect(await storedTokens(person)).toEqual([]);
    }
  });
});

describe("createUser, whichever of its writes fails,", () => {
  it("makes one user, or answers that the user exists", async () => {
    await expectToSurviveFaults(async () => {
      const email = newEmail();
      const act = () => createUser(users(), { email, password: "correct horse", super_admin: false });
      return {
        act,
        recover: () => repeat(act, ["user.exists"]),
        check: async () => {
          expect(await personExists(room.deps, email)).toBe(true);
          // A call that died may have left a user without a password. That user is deleted and created again.
          await deleteUser(users(), email);
          await act();
          expect([await personExists(room.deps, email), accounts.has(email)]).toEqual([true, true]);
        },
      };
    });
  });
});

describe("deleteUser, whichever of its writes fails,", () => {
  it("leaves no token, membership, password or record when the call is repeated", async () => {
    await expectToSurviveFaults(async () => {
      const person = await aPerson();
      const { email } = person;
      const values = [await createToken(room.deps, person, {}), await createToken(room.deps, person, {})];
      const username = personKey(email).slice(0, 20);
      await addMember(room.deps, room.workspace, { email, username, is_admin: false, operator: false }, { inherits: true });
      const act = () => deleteUser(users(), email);
      return {
        act,
        recover: () => repeat(act, ["user.notFound"]),
        check: async () => {
          expect(await storedTokens(person)).toEqual([]);
          for (const value of values) expect(await signIn(value)).toBe("auth.invalid");
          expect(await isMember(room.deps, room.workspace, email)).toBe(false);
          expect([await personExists(room.deps, email), accounts.has(email)]).toEqual([false, false]);
        },
      };
    });
  });
});
