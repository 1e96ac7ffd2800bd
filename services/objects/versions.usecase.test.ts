import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { describeError, isSvcError } from "../../contract/errors.ts";
import type { Person } from "../../core/people/actor.ts";
import { findVersion, newVersionedWorld, versionedKinds } from "../../test/support/use-cases/cases/versioned-kinds.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";

beforeAll(async () => {
  await newVersionedWorld();
});

const people: Person[] = ["ann", "bob"].map((username) => ({ ...anAdmin, username }));

describe.each(Object.entries(versionedKinds))("the version of a %s", (_, kind) => {
  const newObject = async () => {
    const path = kind.newPath?.() ?? `f/t/n${randomUUID().slice(0, 8)}`;
    await kind.create(path);
    return { path, version: (await findVersion(kind, path)) ?? "" };
  };

  it("lets one of two writers win who have read the same one, and tells the other who won and when", async () => {
    const { path, version } = await newObject();
    const outcomes = await Promise.allSettled(people.map((actor) => kind.change(path, actor.username, { actor, expected: [version] })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const winner = people[outcomes.findIndex(({ status }) => status === "fulfilled")]?.username ?? "";
    const after = await findVersion(kind, path);
    // A writer that has read before the winner committed may be told only that another one was first. The next try names the winner.
    const refused = await kind.change(path, "again", { actor: anAdmin, expected: [version] }).catch((error: unknown) => error);
    if (!isSvcError(refused)) throw new Error("The change was not refused.");
    expect(refused.code).toBe("object.versionChanged");
    expect(describeError(refused)).toMatchObject({ status: 409 });
    expect(describeError(refused).sentence).toMatch(new RegExp(`${winner} changed it at \\d{4}-.*"${after}"`));
    expect(await findVersion(kind, path)).toBe(after);
  });

  it("prevents the deletion of another one, and allows that of the one that was read", async () => {
    const { path, version } = await newObject();
    await kind.change(path, "other", { actor: anAdmin });
    const refused = kind.remove(path, { actor: anAdmin, expected: [version] });
    await expect(refused).rejects.toMatchObject({ code: "object.versionChanged" });
    const stored = (await findVersion(kind, path)) ?? "";
    expect(stored).not.toBe("");
    await kind.remove(path, { actor: anAdmin, expected: [stored] });
    expect(await findVersion(kind, path)).toBeUndefined();
  });

  it("does not matter to a writer who names none", async () => {
    const { path, version } = await newObject();
    await kind.change(path, "one", { actor: anAdmin });
    await kind.change(path, "two", { actor: anAdmin });
    expect(await findVersion(kind, path)).not.toBe(version);
  });

  it("is a new one, whichever write of a change fails, once the caller has repeated it", async () => {
    await expectToSurviveFaults(async () => {
      const { path, version } = await newObject();
      const act = () => kind.change(path, "new", { actor: anAdmin, expected: [version] });
      return {
        act,
        // The change may have been committed although its caller did not learn it.
        recover: () => repeat(act, ["object.versionChanged"]),
        check: async () => {
          const after = await findVersion(kind, path);
          expect(after).toBeDefined();
          expect(after).not.toBe(version);
        },
      };
    });
  });
});
