import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newFlowSchema } from "../../contract/routes/flows/flows.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import type { Actor } from "../../core/people/actor.ts";
import { SEARCH_SHARDS, searchEntryObject, searchIndexObject } from "../../core/search/index-items.ts";
import { newVersionedWorld, versionedKinds } from "../../test/support/use-cases/cases/versioned-kinds.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { setFlowArchived } from "../flows/definitions/archive.ts";
import { saveFlow } from "../flows/definitions/save.ts";
import { createFolder } from "../folders/folders.ts";
import { archiveScript, deleteScriptVersion } from "../scripts/archive.ts";
import { createScript, updateScript } from "../scripts/create.ts";
import { createVariable, updateVariable } from "../variables/save.ts";
import { searchObjects } from "./search.ts";

let world: Awaited<ReturnType<typeof newVersionedWorld>>;
beforeAll(async () => {
  world = await newVersionedWorld();
  await createFolder(world.deps, anAdmin, world.workspace, { name: "closed" } as Parameters<typeof createFolder>[3]);
});

const newPath = (folder = "t") => `f/${folder}/n${randomUUID().slice(0, 8)}`;
const caller = (actor: Actor = anAdmin) => ({ actor, workspace: world.workspace });
const search = async (q: string, query: object = {}, actor: Actor = anAdmin) =>
  (await searchObjects(world.deps, caller(actor), { q, ...query })).items;
const paths = async (q: string, query: object = {}, actor: Actor = anAdmin) => (await search(q, query, actor)).map(({ path }) => path);
const script = (path: string, content: string, more: object = {}) =>
  newScriptSchema.parse({ path, language: "bash", content, summary: "", ...more });

const kinds = {
  variable: "variable",
  resource: "resource",
  app: "app",
  schedule: "schedule",
  "HTTP trigger": "trigger",
  flow: "flow",
  script: "script",
};

describe.each(Object.entries(kinds))("a %s", (name, kind) => {
  const object = versionedKinds[name];
  if (!object) throw new Error(`There is no kind ${name}.`);

  it("is found by its path from its first save to its deletion, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const codes = [`${kind}.exists`, `${kind}.pathTaken`, "object.exists", "trigger.routeTaken"];
      return {
        act: () => object.create(path),
        recover: () => repeat(() => object.create(path), codes),
        check: async () => {
          expect(await search(path, { kinds: [kind] })).toMatchObject([{ kind, path, matches: [{ field: "path", text: path }] }]);
          await object.remove(path, { actor: anAdmin });
          expect(await search(path)).toEqual([]);
        },
      };
    });
  });
});

describe("a search", () => {
  it("finds words in summaries and descriptions, and phrases in sources, the best match first", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const [bySource, bySummary, byDescription] = [newPath(), newPath(), newPath()];
    await createScript(world.deps, caller(), script(bySource, `echo begin\ncurl "https://example.com/${word}" # fetch\n`));
    await createScript(world.deps, caller(), script(bySummary, "echo 1", { summary: `Sends ${word.toUpperCase()} daily` }));
    await createVariable(
      world.deps,
      caller(),
      newVariableSchema.parse({ path: byDescription, value: word, is_secret: false, description: `Of ${word}` }),
    );
    expect(await search(word)).toEqual([
      {
        kind: "script",
        path: bySummary,
        summary: `Sends ${word.toUpperCase()} daily`,
        matches: [{ field: "summary", text: `Sends ${word.toUpperCase()} daily` }],
      },
      { kind: "variable", path: byDescription, summary: "", matches: [{ field: "description", text: `Of ${word}` }] },
      { kind: "script", path: bySource, summary: "", matches: [{ field: "source", text: `curl "https://example.com/${word}" # fetch` }] },
    ]);
    expect(await paths(`daily ${word}`)).toEqual([bySummary]);
    expect(await paths(word, { kinds: ["variable", "app"] })).toEqual([byDescription]);
    expect(await paths(word, { per_page: 1, page: 2 })).toEqual([byDescription]);
    expect(await paths(`example.com/${word}" # FETCH`)).toEqual([bySource]);
  });

  it("never finds the value of a variable", async () => {
    const secret = `s${randomUUID().slice(0, 8)}`;
    for (const isSecret of [true, false])
      await createVariable(world.deps, caller(), newVariableSchema.parse({ path: newPath(), value: secret, is_secret: isSecret }));
    expect(await search(secret)).toEqual([]);
  });

  it("finds only what the caller, with the scopes of the token, may read", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const [open, closed] = [newPath(), newPath("closed")];
    for (const path of [open, closed]) await createScript(world.deps, caller(), script(path, `echo ${word}`));
    await createVariable(
      world.deps,
      caller(),
      newVariableSchema.parse({ path: newPath(), value: "", is_secret: false, description: word }),
    );
    const reader = aReader(world.workspace, ["t"]);
    expect(await search(word, {}, reader)).toHaveLength(2);
    expect(await paths(word, {}, { ...reader, scopes: ["scripts:read"] })).toEqual([open]);
    expect(await paths(word, {}, { ...reader, scopes: ["variables:read"] })).not.toContain(open);
    expect(await paths(closed, {}, reader)).toEqual([]);
    const all = await searchObjects(world.deps, caller(reader), {});
    expect(all.items.map(({ path }) => path)).toContain(open);
    expect(JSON.stringify(all)).not.toContain(closed);
  });

  it("follows new versions, renames, archives, restored flows and erased versions", async () => {
    const [before, after] = [`b${randomUUID().slice(0, 8)}`, `a${randomUUID().slice(0, 8)}`];
    const [path, moved, flow] = [newPath(), newPath(), newPath()];
    await createScript(world.deps, caller(), script(path, `echo ${before}`));
    await updateScript(world.deps, { ...caller(), path }, script(path, `echo ${after}`));
    expect([await paths(before), await paths(after)]).toEqual([[], [path]]);
    await updateScript(world.deps, { ...caller(), path }, script(moved, `echo ${after}`));
    expect([await paths(after), await paths(path)]).toEqual([[moved], []]);
    await archiveScript(world.deps, { ...caller(), path: moved });
    expect(await paths(after)).toEqual([]);
    const hash = await createScript(world.deps, caller(), script(moved, `echo ${after}`));
    expect(await paths(after)).toEqual([moved]);
    const action = {
      name: "scripts.deleteByHash",
      access: { domain: "scripts", verb: "write", need: "write", target: "version", hiddenAs: false },
    } as const;
    await deleteScriptVersion(world.deps, { ...caller(), action }, hash);
    expect([await paths(after), await paths(moved)]).toEqual([[], []]);
    const inline = { id: "a", value: { type: "rawscript", language: "bash", content: `echo ${before}`, input_transforms: {} } };
    await saveFlow(world.deps, caller(), newFlowSchema.parse({ path: flow, summary: "", value: { modules: [inline] } }));
    expect(await search(before)).toMatchObject([{ kind: "flow", path: flow, matches: [{ field: "source", text: `echo ${before}` }] }]);
    await setFlowArchived(world.deps, { ...caller(), path: flow }, true);
    expect(await paths(before)).toEqual([]);
    await setFlowArchived(world.deps, { ...caller(), path: flow }, false);
    expect(await paths(before)).toEqual([flow]);
  });

  it("follows a variable to its new path", async () => {
    const [path, moved] = [newPath(), newPath()];
    await createVariable(world.deps, caller(), newVariableSchema.parse({ path, value: "", is_secret: false, description: "Stays" }));
    await updateVariable(world.deps, { ...caller(), path }, { path: moved });
    expect([await paths(path), await paths(moved)]).toEqual([[], [moved]]);
  });

  it("reads each partition of the index once, and no object that is not a match", async () => {
    await createScript(world.deps, caller(), script(newPath(), "echo 1"));
    await search("any");
    const reads: string[] = [];
    const objects = new Proxy(world.deps.objects, {
      get: (target, name) => {
        const method = target[name as keyof typeof target] as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          reads.push(String(name));
          return method.apply(target, args);
        };
      },
    });
    expect((await searchObjects({ ...world.deps, objects }, caller(), { q: "no such phrase" })).items).toEqual([]);
    expect(reads.filter((name) => name === "list")).toHaveLength(SEARCH_SHARDS);
    expect(reads.filter((name) => name !== "list")).toEqual(["get", "batchGet"]);
  });
});

describe("a workspace whose objects are older than its index", () => {
  /** Removes the index, as if an earlier release had stored the objects. */
  async function removeIndex() {
    const { objects } = world.deps;
    const shards = Array.from({ length: SEARCH_SHARDS }, (_, shard) => shard);
    const keys = shards.map((shard) => searchEntryObject.partitionKey(world.workspace, shard));
    for (const pk of keys) for (const item of await objects.list(pk)) await objects.deleteItem(item);
    await objects.deleteItem(searchIndexObject.key(world.workspace));
  }

  it("gets its index by its first searches, of all that is not archived", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const [path, archived] = [newPath(), newPath()];
    await createScript(world.deps, caller(), script(path, `echo ${word}`));
    await createScript(world.deps, caller(), script(archived, `echo ${word}`));
    await archiveScript(world.deps, { ...caller(), path: archived });
    const all = (await searchObjects(world.deps, caller(), {})).items;
    await removeIndex();
    let result = await searchObjects(world.deps, caller(), { q: word });
    while (!result.isComplete) result = await searchObjects(world.deps, caller(), { q: word });
    expect(result.items.map((item) => item.path)).toEqual([path]);
    expect((await searchObjects(world.deps, caller(), {})).items).toEqual(all);
  });

  it("finds entries of an earlier deployment, and leaves out unreadable ones", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    await search("any");
    const values = { earlier: { summary: word, description: "" }, broken: "[", other: "1" };
    for (const [name, value] of Object.entries(values)) {
      await world.deps.objects.put({ ...searchEntryObject.key(world.workspace, 0, "script", `f/a/${name}`), value });
    }
    expect(await paths(word)).toEqual(["f/a/earlier"]);
  });

  it("gets what an instance of the earlier release stored during the first comparison", async () => {
    await search("any");
    const path = newPath();
    await createScript(world.deps, caller(), script(path, "echo 1"));
    for (let shard = 0; shard < SEARCH_SHARDS; shard += 1) {
      await world.deps.objects.deleteItem(searchEntryObject.key(world.workspace, shard, "script", path));
    }
    expect(await paths(path)).toEqual([]);
    world.clock.nowMs += 3600_000;
    await search("any");
    expect(await paths(path)).toEqual([path]);
  });
});
