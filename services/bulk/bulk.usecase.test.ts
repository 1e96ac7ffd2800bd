import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import type { BulkRequest } from "../../contract/routes/jobs/bulk.ts";
import { type Actor, type Person, toPermissionedAs } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { addJob, listJobs, work } from "../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder, repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { handleDeadLetter } from "../execution/endings/handle-dead-letter.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { loadJson } from "../jobs/values/values.ts";
import { createScript } from "../scripts/create.ts";
import { addMember } from "../workspaces/add-member.ts";
import { removeMember } from "../workspaces/members.ts";
import { continueBulk } from "./continue-bulk.ts";
import { getBulk, startBulk, stopBulk } from "./start-bulk.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const newPath = () => `f/t/${randomUUID()}`;
const saveVersion = (path: string, content = `export const main = () => "${randomUUID()}";`) =>
  createScript(
    world.deps,
    { actor: anAdmin, workspace: world.workspace },
    { path, summary: "", description: "", language: "bun", content, auto_parent: true },
  );
const addQueued = async (path: string, count: number, fields: object = {}) => {
  const ids = Array.from({ length: count }, () => randomUUID() as string);
  await Promise.all(ids.map((id) => addJob(world, { id, kind: "script", path, ...fields })));
  // A filter matches older jobs only.
  world.clock.nowMs += 1;
  return ids;
};
/** Jobs that have ended because they were canceled. */
const addEnded = async (path: string, args: object[]) => {
  const hash = await saveVersion(path);
  const ids = await Promise.all(
    args.map(async (each) => (await addQueued(path, 1, { hash, args: { in: "head", json: JSON.stringify(each) } }))[0] ?? ""),
  );
  for (const job of await world.deps.jobs.batchGet(ids)) await cancelJob(world.deps, job, { by: "ann", reason: "" });
  return ids;
};

const by = (actor: Actor) => ({ actor, workspace: world.workspace });
const start = (request: BulkRequest, actor: Actor = anAdmin) => startBulk(world.deps, by(actor), request);
const progress = (id: string, actor: Actor = anAdmin) => getBulk(world.deps, by(actor), id);
const stop = (id: string, actor: Actor = anAdmin) => stopBulk(world.deps, by(actor), id);
const message = (id: string, { email }: Actor = anAdmin) => ({ id, workspace: world.workspace, person: personKey(email) });
const proceed = (id: string, actor?: Actor, deps = world.deps) => continueBulk(deps, message(id, actor));
const run = async (request: BulkRequest, actor?: Actor) => {
  const id = await start(request, actor);
  await proceed(id, actor);
  return progress(id, actor);
};
const stateOf = async (id = "") => (await world.deps.jobs.get(id))?.state;
const scriptJobs = async (path: string) => (await listJobs(world, path)).filter(({ kind }) => kind === "script");
const argsOf = async (path: string, known: string[]) => {
  const added = (await scriptJobs(path)).filter(({ id }) => !known.includes(id));
  return Promise.all(added.map((job) => loadJson(world.deps, job, job.args)));
};
const refused = (code: string) => expect.objectContaining({ code });

/** A member whose rights the service reads. */
async function addDeveloper(): Promise<Person> {
  const name = `m-${randomUUID().slice(0, 8)}`;
  const email = `${name}@example.com`;
  await addMember(world.deps, world.workspace, { email, username: name, is_admin: false, operator: false }, { inherits: false });
  return { ...aReader(world.workspace, []), email, username: name };
}
const ownedBy = (actor: Person) => ({ email: actor.email, createdBy: actor.username, permissionedAs: toPermissionedAs(actor) });

describe("an action on many jobs", () => {
  it("cancels the named jobs once each, and reports those that it cannot cancel", async () => {
    const path = newPath();
    const ids = await addQueued(path, 3);
    const [unknown, ended] = [randomUUID(), (await addEnded(path, [{}]))[0] ?? ""];
    const result = await run({ action: "cancel", ids: [...ids, ids[0] ?? "", unknown, ended] });
    // The ended job was canceled before.
    expect(result).toMatchObject({ state: "done", done: 4, failed: 1, total: 5, errors: [{ id: unknown, error: expect.any(String) }] });
    for (const id of ids) expect(await stateOf(id)).toBe("canceled");
  });

  it("cancels the jobs that match a filter, in several parts", async () => {
    const path = newPath();
    await addQueued(path, 120);
    const other = await addQueued(newPath(), 1);
    const id = await start({ action: "cancel", filter: { script_path_exact: path } });
    expect(await progress(id)).toMatchObject({ state: "collecting", total: 0 });
    const [later] = await addQueued(path, 1);
    await proceed(id);
    expect(await progress(id)).toMatchObject({ state: "done", done: 120, failed: 0, total: 120, has_more: false });
    expect([await stateOf(later), await stateOf(other[0])]).toEqual(["queued", "queued"]);
  });

  it("runs jobs again with the newest version and other arguments", async () => {
    const path = newPath();
    const ids = await addEnded(path, [{ a: 1, b: 1 }, { a: 2 }]);
    const newest = await saveVersion(path);
    expect(await run({ action: "rerun", ids, version: "latest", args: { b: 9 } })).toMatchObject({ state: "done", done: 2 });
    expect(await argsOf(path, ids)).toEqual(
      expect.arrayContaining([
        { a: 1, b: 9 },
        { a: 2, b: 9 },
      ]),
    );
    const added = (await scriptJobs(path)).filter(({ id }) => !ids.includes(id));
    expect(added.map(({ hash }) => hash)).toEqual([newest, newest]);
  });

  it("runs the jobs that match a filter again, and not those that it has started", async () => {
    const path = newPath();
    const ids = await addEnded(path, [{ a: 1 }, { a: 2 }]);
    expect(await run({ action: "rerun", filter: { script_path_exact: path, success: false, job_kinds: "script" } })).toMatchObject({
      done: 2,
      total: 2,
    });
    expect(await argsOf(path, ids)).toHaveLength(2);
  });

  it("runs each job again once, also if two messages arrive at the same time", async () => {
    const path = newPath();
    const ids = await addEnded(path, [{ a: 1 }, { a: 2 }, { a: 3 }]);
    const id = await start({ action: "rerun", ids });
    await Promise.all([proceed(id), proceed(id)]);
    await proceed(id);
    expect(await argsOf(path, ids)).toHaveLength(3);
    expect(await progress(id)).toMatchObject({ state: "done", done: 3, failed: 0 });
  });

  it("runs each job again once, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const ids = await addEnded(path, [{ a: 1 }]);
      const id = await start({ action: "rerun", ids });
      return {
        act: () => proceed(id),
        recover: () => proceed(id),
        check: async () => {
          expect(await argsOf(path, ids)).toHaveLength(1);
          expect(await progress(id)).toMatchObject({ state: "done", done: 1 });
        },
      };
    });
  });

  it("continues with another message when its time is over, and after a dead letter", async () => {
    const path = newPath();
    const id = await start({ action: "cancel", ids: await addQueued(path, 150) });
    await world.messages();
    let isFirst = true;
    const nowMs = () => (isFirst ? world.clock.nowMs : world.clock.nowMs + 60_000);
    const objects = {
      ...world.deps.objects,
      put: async (...write: Parameters<typeof world.deps.objects.put>) => {
        isFirst = false;
        return world.deps.objects.put(...write);
      },
    };
    await proceed(id, anAdmin, { ...world.deps, objects, nowMs });
    expect(await progress(id)).toMatchObject({ state: "running", done: 100, total: 150 });
    const [sent] = (await world.messages()).filter(({ job }) => job === id);
    const { workspace, person } = message(id);
    expect(sent).toEqual({ job: id, followUp: true, bulk: { workspace, person } });
    expect(await handleDeadLetter(world.deps, { job: id, followUp: true, bulk: { workspace, person } })).toBe("queued");
    await work(world);
    expect(await progress(id)).toMatchObject({ state: "done", done: 150 });
  });

  it("stops at the request of its creator", async () => {
    const path = newPath();
    const ids = await addQueued(path, 2);
    const id = await start({ action: "cancel", ids });
    expect(await stop(id)).toMatchObject({ state: "stopping" });
    await proceed(id);
    expect(await progress(id)).toMatchObject({ state: "stopped", done: 0, total: 2, errors: [] });
    expect(await stop(id)).toMatchObject({ state: "stopped" });
    expect(await stateOf(ids[0])).toBe("queued");
  });

  it("is stopped, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const id = await start({ action: "cancel", ids: [randomUUID()] });
      return {
        act: () => stop(id),
        recover: () => repeat(() => stop(id), []),
        check: async () => {
          await proceed(id);
          expect(await progress(id)).toMatchObject({ state: "stopped" });
        },
      };
    });
  });
});

describe("the rights of an action on many jobs", () => {
  it("are those of its creator for each job", async () => {
    const developer = await addDeveloper();
    const [ofAdmin = ""] = await addQueued(newPath(), 1);
    const [own = ""] = await addQueued(`u/${developer.username}/one`, 1, ownedBy(developer));
    const result = await run({ action: "cancel", ids: [ofAdmin, own] }, developer);
    expect(result).toMatchObject({ done: 1, failed: 1, errors: [{ id: ofAdmin, error: `There is no job ${ofAdmin}.` }] });
    expect([await stateOf(ofAdmin), await stateOf(own)]).toEqual(["queued", "canceled"]);
    const found = await run({ action: "cancel", filter: { tag: "bun" } }, developer);
    expect(found).toMatchObject({ state: "done", total: 0 });
  });

  it("are read again before each part", async () => {
    const developer = await addDeveloper();
    const [own = ""] = await addQueued(`u/${developer.username}/one`, 1, ownedBy(developer));
    const id = await start({ action: "cancel", ids: [own] }, developer);
    await removeMember(world.deps, world.workspace, developer.username);
    await proceed(id, developer);
    expect(await progress(id, developer)).toMatchObject({ state: "stopped", done: 0, errors: [{ error: expect.any(String) }] });
    expect(await stateOf(own)).toBe("queued");
  });

  it("do not exceed the scopes of the token", async () => {
    const scoped: Person = { ...anAdmin, scopes: ["jobs:write"] };
    await expect(start({ action: "rerun", ids: [randomUUID()] }, scoped)).rejects.toEqual(refused("auth.forbidden"));
    const path = newPath();
    const ids = await addEnded(path, [{}]);
    const another: Person = { ...anAdmin, scopes: ["jobs:write", "jobs:run:scripts:f/t/other", "jobs:read"] };
    const result = await start({ action: "rerun", ids }, another).then(
      async (id) => {
        await proceed(id);
        return progress(id);
      },
      (error: unknown) => error,
    );
    expect(JSON.stringify(result)).not.toContain('"done":1');
    expect(await argsOf(path, ids)).toEqual([]);
  });

  it("include its progress and its end for its creator alone", async () => {
    const id = await start({ action: "cancel", ids: [randomUUID()] });
    const other = { ...anAdmin, email: "eve@example.com", username: "eve" };
    await expect(progress(id, other)).rejects.toEqual(refused("bulk.notFound"));
    await expect(stop(id, other)).rejects.toEqual(refused("bulk.notFound"));
    await proceed(id);
  });

  it("allow a limited number of unfinished actions", async () => {
    const developer = await addDeveloper();
    const request: BulkRequest = { action: "cancel", ids: [randomUUID()] };
    const ids: string[] = [];
    for (let n = 0; n < limits.bulks; n += 1) ids.push(await start(request, developer));
    await expect(start(request, developer)).rejects.toEqual(refused("bulk.tooMany"));
    await proceed(ids[0] ?? "", developer);
    await start(request, developer);
    const failing = { ...world.deps.queue, sendFollowUp: () => Promise.reject(new Error("The queue is gone.")) };
    await proceed(ids[1] ?? "", developer);
    await expect(startBulk({ ...world.deps, queue: failing }, by(developer), request)).rejects.toThrow("The queue is gone.");
    await start(request, developer);
    const args = { text: "x".repeat(limits.bulkArgsBytes) };
    await expect(start({ action: "rerun", ids: [randomUUID()], args })).rejects.toEqual(refused("body.tooLarge"));
  });
});
