import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { scriptRoutes as routes } from "../../contract/routes/stored/scripts.ts";
import { SHARDS } from "../../core/jobs/record/job.ts";
import type { Person } from "../../core/people/actor.ts";
import { scriptHeadObject, scriptHistoryObject, scriptListingObject, scriptVersionObject } from "../../core/scripts/version.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { eventsOf } from "../../test/support/use-cases/world-events.ts";
import { listJobs } from "../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder, repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { changeAcl, getAcl } from "../workspaces/acls.ts";
import { archiveScript, archiveScriptVersion, deleteScript, deleteScriptVersion } from "./archive.ts";
import { muteScriptErrorHandler, setScriptMessage } from "./change-version.ts";
import { createScript } from "./create.ts";
import { loadScriptVersion, parseScript, scriptObjectKey } from "./load.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const newPath = () => `f/t/${randomUUID()}`;
/** Sources that one item holds, and that S3 holds. */
const contents: [string, string][] = [
  ["a small", "export function main() { return 1; }"],
  ["a large", `export function main() { return 1; }\n${"// padding\n".repeat(12_000)}`],
];
const small = contents[0]?.[1] ?? "";

const save = (path: string, content: string, fields: object = {}) => {
  // The history is ordered by time.
  world.clock.nowMs += 1;
  return createScript(
    world.deps,
    { actor: anAdmin, workspace: world.workspace },
    newScriptSchema.parse({ path, language: "bun", content, summary: "", ...fields }),
  );
};

it("a script names the concurrency key of another folder only if its author may write there", async () => {
  const { workspace } = world;
  const rights = {
    workspace,
    role: "developer" as const,
    groups: [],
    folders: { t: "write" as const, shared: "read" as const },
    objects: {},
  };
  const saveAs = (concurrency_key: string, actor: Person) => {
    const fields = { path: newPath(), language: "bun", content: small, summary: "", concurrent_limit: 1, concurrency_key };
    return createScript(world.deps, { actor, workspace }, newScriptSchema.parse(fields));
  };
  const author = { ...anAdmin, superAdmin: false, rights };
  const ruleOf = async (hash: string) => parseScript(await world.deps.objects.get(scriptVersionObject.key(workspace, hash)))?.concurrency;
  expect(await ruleOf(await saveAs("stripe", author))).toEqual({ limit: 1, key: "stripe", space: "f/t" });
  expect(await ruleOf(await saveAs("f/shared/stripe", anAdmin))).toEqual({ limit: 1, key: "f/shared/stripe", space: "f/shared" });
  await expect(saveAs("f/shared/stripe", author)).rejects.toMatchObject({ code: "auth.forbidden" });
  await expect(saveAs("f/hidden/stripe", author)).rejects.toMatchObject({ code: "path.noFolder" });
  await expect(saveAs("u/bob/stripe", author)).rejects.toMatchObject({ code: "auth.forbidden" });
});

/** The stored parts of a script: either all exist, or none. */
async function load(path: string) {
  const { objects } = world.deps;
  const [stored, listing, history] = await Promise.all([
    objects.get(scriptHeadObject.key(world.workspace, path)),
    objects.get(scriptListingObject.key(world.workspace, path)),
    objects.list(scriptHistoryObject.partitionKey(world.workspace, path)),
  ]);
  const head = parseScript(stored);
  const builds = (await listJobs(world, path)).filter(({ kind }) => kind === "dependencies");
  return { head, listing, history: history.map(({ value }) => (value as { hash: string }).hash), builds };
}

/** The script has these versions, the last of which runs; each has its content and one job that builds it. */
async function expectVersions(path: string, versions: string[]): Promise<void> {
  const { head, listing, history, builds } = await load(path);
  expect(history).toHaveLength(versions.length);
  expect(head).toMatchObject({ path, hash: history.at(-1), archived: false, build: { state: "pending" } });
  expect(listing?.value).toMatchObject({ hash: head?.hash, archived: false });
  const sent = await Promise.all(history.map(async (hash) => (await loadScriptVersion(world.deps, world.workspace, hash)).sent.content));
  expect(sent).toEqual(versions);
  expect(builds.map(({ hash, state }) => [hash, state]).sort()).toEqual(history.map((hash) => [hash, "queued"]).sort());
  // The message of a build may be lost. Then housekeeping sends it.
  const due = (
    await Promise.all(Array.from({ length: SHARDS }, (_, shard) => world.deps.jobs.listDue(shard, Number.MAX_SAFE_INTEGER, 1000)))
  ).flat();
  expect(due.filter(({ id }) => builds.some((build) => build.id === id))).toHaveLength(builds.length);
}

describe("createScript, whichever of its writes fails,", () => {
  it.each(contents)("saves %s first version once, or returns that the path is taken", async (_, content) => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const act = () => save(path, content);
      return {
        act,
        recover: () => repeat(act, ["script.pathTaken"]),
        check: async () => {
          await expectVersions(path, [content]);
          expect(await eventsOf(world, path)).toEqual(["CreateScript"]);
        },
      };
    });
  });

  it("saves the next version once, or returns that its parent has a child", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const parent_hash = await save(path, small);
      const act = () => save(path, "export const main = () => 2;", { parent_hash });
      return {
        act,
        recover: () => repeat(act, ["script.parentHasChild"]),
        check: async () => {
          await expectVersions(path, [small, "export const main = () => 2;"]);
          expect(await eventsOf(world, path)).toEqual(["CreateScript", "UpdateScript"]);
        },
      };
    });
  });

  it("renames a script once, with its extra permissions", async () => {
    await expectToSurviveFaults(async () => {
      const [from, to] = [newPath(), newPath()];
      const parent_hash = await save(from, small);
      await changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind: "script", path: from }, { owner: "u/bob", right: true });
      const act = () => save(to, small, { parent_hash });
      return {
        act,
        recover: () => repeat(act, ["script.pathTaken"]),
        check: async () => {
          await expectVersions(to, [small]);
          expect(await load(from)).toMatchObject({ head: undefined, listing: undefined, history: [parent_hash] });
          const acl = (path: string) => getAcl(world.deps, { workspace: world.workspace, kind: "script", path });
          expect([await acl(from), await acl(to)]).toEqual([{}, { "u/bob": true }]);
          expect(await eventsOf(world, to)).toEqual(["UpdateScript"]);
        },
      };
    });
  });
});

describe("archiveScript and deleteScriptVersion, whichever of their writes fails,", () => {
  it("archive a script once: its path is free, and its version remains", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const hash = await save(path, small);
      const act = () => archiveScript(world.deps, { actor: anAdmin, workspace: world.workspace, path });
      return {
        act,
        recover: () => repeat(act, ["script.notFound"]),
        check: async () => {
          const { head, listing } = await load(path);
          expect(head).toMatchObject({ hash, archived: true });
          expect(listing?.value).toMatchObject({ archived: true });
          expect(await eventsOf(world, path)).toEqual(["CreateScript", "DeleteScript"]);
        },
      };
    });
  });

  it("erase the content of a version, also from S3, when the call is repeated", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const hash = await save(path, contents[1]?.[1] ?? "");
      const act = () =>
        deleteScriptVersion(world.deps, { actor: anAdmin, action: routes.deleteScriptByHash, workspace: world.workspace }, hash);
      return {
        act,
        recover: () => repeat(act, ["script.versionNotFound"]),
        check: async () => {
          expect((await load(path)).head).toMatchObject({ hash, deleted: true });
          expect(await world.deps.storage.getObjectEtag(scriptObjectKey(world.workspace, hash))).toBeUndefined();
          expect(await eventsOf(world, path)).toEqual(["CreateScript", "DeleteScript"]);
        },
      };
    });
  });
});

describe("deleteScript, whichever of its writes fails,", () => {
  it("leaves nothing at the path when the call is repeated, and writes one event", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const parent_hash = await save(path, contents[1]?.[1] ?? "");
      const hashes = [parent_hash, await save(path, small, { parent_hash })];
      const act = () => deleteScript(world.deps, { actor: anAdmin, workspace: world.workspace, path });
      return {
        act,
        recover: () => repeat(act, ["script.notFound"]),
        check: async () => {
          expect(await load(path)).toMatchObject({ head: undefined, listing: undefined, history: [] });
          for (const hash of hashes) {
            expect(await world.deps.storage.getObjectEtag(scriptObjectKey(world.workspace, hash))).toBeUndefined();
            expect((await loadScriptVersion(world.deps, world.workspace, hash)).sent.content).toBe("");
          }
          expect((await eventsOf(world, path)).filter((type) => type === "DeleteScriptPath")).toHaveLength(1);
        },
      };
    });
  });

  it("also erases the versions that a rename leaves at the path, and writes one event", async () => {
    await expectToSurviveFaults(async () => {
      const [from, to] = [newPath(), newPath()];
      const first = await save(from, small);
      const second = await save(from, "export const main = () => 2;", { parent_hash: first });
      const renamed = await save(to, small, { parent_hash: second });
      const act = () => deleteScript(world.deps, { actor: anAdmin, workspace: world.workspace, path: from });
      return {
        act,
        recover: () => repeat(act, ["script.notFound"]),
        check: async () => {
          expect((await load(from)).history).toEqual([]);
          for (const hash of [first, second]) expect((await loadScriptVersion(world.deps, world.workspace, hash)).sent.content).toBe("");
          expect((await load(to)).head).toMatchObject({ hash: renamed, archived: false });
          expect((await eventsOf(world, from)).filter((type) => type === "DeleteScriptPath")).toHaveLength(1);
        },
      };
    });
  });
});

describe("at once", () => {
  it("two saves over one version create one version", async () => {
    const path = newPath();
    const parent_hash = await save(path, small);
    const both = await Promise.allSettled(["2", "3"].map((n) => save(path, `export const main = () => ${n};`, { parent_hash })));
    const won = both.findIndex(({ status }) => status === "fulfilled");
    await expectVersions(path, [small, `export const main = () => ${won + 2};`]);
    const lost = both[1 - won] as PromiseRejectedResult;
    expect(["script.parentHasChild", "script.changedMeanwhile"]).toContain((lost.reason as { code: string }).code);
  });

  it("a save and a deletion of the path leave the complete script or nothing", async () => {
    for (let round = 0; round < 6; round += 1) {
      const path = newPath();
      const parent_hash = await save(path, small);
      const [saved, deleted] = await Promise.allSettled([
        save(path, "export const main = () => 2;", { parent_hash }),
        deleteScript(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
      ]);
      const { head, history, listing } = await load(path);
      expect([saved.status, deleted.status]).toContain("fulfilled");
      if (saved.status === "fulfilled" && deleted.status === "rejected") {
        expect(head?.hash).toBe(saved.value);
        expect(listing?.value).toMatchObject({ hash: saved.value });
        expect((await loadScriptVersion(world.deps, world.workspace, saved.value)).sent.content).toBe("export const main = () => 2;");
        expect(history).toContain(saved.value);
      } else expect([head, listing, history]).toEqual([undefined, undefined, []]);
    }
  });

  it("archiving and changing the list entry at once leave head and list with the same state", async () => {
    for (let round = 0; round < 6; round += 1) {
      const path = newPath();
      const hash = await save(path, small);
      const caller = { actor: anAdmin, workspace: world.workspace };
      const message = { hash, path, message: "A message" };
      await Promise.allSettled([
        archiveScript(world.deps, { actor: anAdmin, workspace: world.workspace, path }),
        setScriptMessage(world.deps, { ...caller, action: routes.updateScriptHistory }, message),
        muteScriptErrorHandler(world.deps, { ...caller, path }, true),
      ]);
      const { head, listing } = await load(path);
      expect(listing?.value).toMatchObject({
        archived: head?.archived,
        deployment_message: "A message",
        ...(head?.errorHandlerMuted ? { ws_error_handler_muted: true } : {}),
      });
    }
  });
});

it("a script that is archived after its head was read stays archived", async () => {
  const path = newPath();
  await save(path, small);
  const target = { actor: anAdmin, workspace: world.workspace, path };
  let archived: Promise<void> | undefined;
  const get: typeof world.deps.objects.get = async (key, ...options) => {
    if (key.pk === scriptListingObject.key(world.workspace, path).pk) {
      archived ??= archiveScript(world.deps, target);
      await archived;
    }
    return world.deps.objects.get(key, ...options);
  };
  const muted = muteScriptErrorHandler({ ...world.deps, objects: { ...world.deps.objects, get } }, target, true);
  await expect(muted).rejects.toMatchObject({ code: "script.notFound" });
  const { head, listing } = await load(path);
  expect([head?.archived, listing?.value]).toEqual([true, expect.objectContaining({ archived: true })]);
});

describe("a version that is saved after the head was read", () => {
  /** The dependencies of a call after whose first read of the head another person saves the next version. */
  const depsWithSave = (path: string, parent_hash: string) => {
    let next: Promise<string> | undefined;
    const get: typeof world.deps.objects.get = async (key, ...options) => {
      const found = await world.deps.objects.get(key, ...options);
      if (key.pk !== scriptHeadObject.key(world.workspace, path).pk || next) return found;
      next = save(path, "export const main = () => 2;", { parent_hash });
      await next;
      return found;
    };
    return { deps: { ...world.deps, objects: { ...world.deps.objects, get } }, saved: () => next };
  };
  const expectNext = async (path: string, saved: Promise<string> | undefined) =>
    expect((await load(path)).head).toMatchObject({ hash: await saved, archived: false });

  it("is not archived by a call that names the version before it", async () => {
    const path = newPath();
    const hash = await save(path, small);
    const { deps, saved } = depsWithSave(path, hash);
    const caller = { actor: anAdmin, action: routes.archiveScriptByHash, workspace: world.workspace };
    await expect(archiveScriptVersion(deps, caller, hash)).rejects.toMatchObject({ code: "script.versionNotFound", details: { hash } });
    await expectNext(path, saved());
  });

  it("makes a deletion of the script fail, which then has erased nothing", async () => {
    const path = newPath();
    const hash = await save(path, small);
    const { deps, saved } = depsWithSave(path, hash);
    const deletion = deleteScript(deps, { actor: anAdmin, workspace: world.workspace, path });
    await expect(deletion).rejects.toMatchObject({ code: "script.changedMeanwhile" });
    await expectNext(path, saved());
    expect((await loadScriptVersion(world.deps, world.workspace, hash)).sent.content).toBe(small);
    await deleteScript(world.deps, { actor: anAdmin, workspace: world.workspace, path });
    expect(await load(path)).toMatchObject({ head: undefined, history: [] });
  });
});

describe("a script with validate_input", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const typed = "export function main(n: number) { return n; }";
  const inferred = { properties: { n: { type: "number" } }, required: ["n"] };
  it.each<[string, string, object, object | undefined]>([
    ["its schema", typed, { validate_input: true, schema }, schema],
    ["the inferred schema if it has none", typed, { validate_input: true }, inferred],
    ["the inferred schema if its own is empty", typed, { validate_input: true, schema: {} }, inferred],
    ["nothing if it is off", typed, { validate_input: false, schema }, undefined],
    ["nothing if it is absent", typed, { schema }, undefined],
  ])("checks arguments with %s", async (_, content, fields, expected) => {
    const path = newPath();
    await save(path, content, fields);
    const { head } = await load(path);
    if (expected) expect(head?.inputSchema).toMatchObject(expected);
    else expect(head?.inputSchema).toBeUndefined();
  });

  it.each<[string, string, object, RegExp]>([
    ["without a schema that can be inferred", "function other() {}", {}, /^has no effect without a schema/],
    ["with a schema that is none", typed, { schema: { type: 7 } }, /^cannot be used for validate_input: /],
    ["with a schema that refers to itself", typed, { schema: { $ref: "#" } }, /refers to itself endlessly/],
    ["with a very large schema", typed, { schema: { description: "d".repeat(70_000) } }, /^must be at most 64 KB large/],
  ])("is not saved %s", async (_, content, fields, reason) => {
    const path = newPath();
    const issues = [{ path: expect.any(String), reason: expect.stringMatching(reason) }];
    await expect(save(path, content, { validate_input: true, ...fields })).rejects.toMatchObject({
      code: "body.shape",
      details: { issues },
    });
    expect((await load(path)).head).toBeUndefined();
    await save(path, content, fields);
  });
});
