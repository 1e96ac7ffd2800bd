import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import type { BuildRequest } from "../../core/builds/build.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addJob, addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { buildArtefact } from "../builds/artefact.ts";
import { archiveDependencies, deleteDependencies, getDependencies, listDependencies, saveDependencies } from "./dependencies.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const list = (version: string) => JSON.stringify({ dependencies: { zod: version } });
const save = (content: string, name?: string) => saveDependencies(world.deps, world.workspace, { language: "bun", content, name });
const at = (name?: string) => ({ workspace: world.workspace, language: "bun" as const, name });
const refused = (code: string) => expect.objectContaining({ code });

/** Returns what the function `build` receives for a script. */
async function requestOf(content: string, lock?: string): Promise<BuildRequest | { error: string }> {
  let request: BuildRequest | undefined;
  world.answers.build = async (sent) => {
    request = sent;
    return { ok: false, error: "This test builds nothing.", log: "" };
  };
  const job = await addJob(world);
  const source = { workspace: world.workspace, runner: "bun" as const, path: `f/t/${randomUUID()}`, content, lock, job };
  const result = await buildArtefact(world.deps as never, source);
  return request ?? { error: result.ok ? "" : result.error };
}

describe("a list of package versions", () => {
  it("is stored, replaced, archived and deleted", async () => {
    const id = await save(list("3"));
    expect(await getDependencies(world.deps, at())).toMatchObject({ id, content: list("3"), language: "bun", archived: false });
    // Storing the same list again is not a change.
    expect(await save(list("3"))).toBe(id);
    expect(await save(list("4"))).toBeGreaterThan(id);
    expect((await listDependencies(world.deps, world.workspace)).map(({ content, archived }) => ({ content, archived }))).toEqual([
      { content: list("4"), archived: false },
      { content: list("3"), archived: true },
    ]);
    await archiveDependencies(world.deps, at());
    await expect(getDependencies(world.deps, at())).rejects.toEqual(refused("dependencies.notFound"));
    await save(list("4"));
    await deleteDependencies(world.deps, at());
    await expect(deleteDependencies(world.deps, at())).rejects.toEqual(refused("dependencies.notFound"));
    await expect(save("nonsense")).rejects.toEqual(refused("dependencies.content"));
  });

  it("is part of the builds of scripts: the default, or the one that a script names", async () => {
    expect(await requestOf('import "zod";')).not.toHaveProperty("dependencies");
    await save(list("3"));
    await save(list("4"), "next");
    expect(await requestOf('import "zod";')).toMatchObject({ dependencies: { entries: { zod: "3" }, all: false } });
    expect(await requestOf('// workspace_dependencies: next\nimport "zod";')).toMatchObject({
      dependencies: { entries: { zod: "4" }, all: true },
    });
    expect(await requestOf('import "zod";', "a lock")).not.toHaveProperty("dependencies");
    expect(await requestOf('// workspace_dependencies: none\nimport "zod";')).toEqual({
      error: expect.stringContaining("names the list none"),
    });
    await archiveDependencies(world.deps, at());
    expect(await requestOf('import "zod";')).not.toHaveProperty("dependencies");
  });

  it("is part of the key of an artefact, so that a new list leads to a new build, and the same one does not", async () => {
    const path = `f/t/${randomUUID()}`;
    let builds = 0;
    const keyWith = async (version: string) => {
      await save(list(version), "keyed");
      world.answers.build = async () => {
        builds += 1;
        return { ok: true, lock: `zod@${version}`, sha256: "0".repeat(64), bytes: 1, log: "" };
      };
      const content = '// package_json: keyed\nimport "zod";';
      const built = await buildArtefact(world.deps as never, {
        workspace: world.workspace,
        runner: "bun",
        path,
        content,
        job: await addJob(world),
      });
      return built.ok ? { key: built.key, lock: built.lock } : built.error;
    };
    const first = await keyWith("3");
    expect(await keyWith("4")).not.toEqual(first);
    expect(await keyWith("3")).toEqual(first);
    expect(builds).toBe(2);
  });
});

describe("the archived contents of a list", () => {
  const contentsOf = async (name: string) => {
    const lists = (await listDependencies(world.deps, world.workspace)).filter((one) => one.name === name);
    return lists.map(({ content, archived }) => `${archived ? "archived " : ""}${content}`);
  };

  it("are the newest contents, and are deleted with the list", async () => {
    for (let version = 1; version <= limits.archivedDependencies + 3; version += 1) await save(list(String(version)), "often");
    const archived = Array.from({ length: limits.archivedDependencies }, (_, at) => `archived ${list(String(at + 3))}`);
    expect(await contentsOf("often")).toEqual([list(String(limits.archivedDependencies + 3)), ...archived]);
    await save(list("1"), "often-2");
    await save(list("2"), "often-2");
    await deleteDependencies(world.deps, at("often"));
    expect(await contentsOf("often")).toEqual([]);
    expect(await contentsOf("often-2")).toEqual([list("2"), `archived ${list("1")}`]);
  });

  it("contain the list of every writer except the last, in any order of the writers", async () => {
    await save(list("0"), "raced");
    const versions = ["1", "2", "3", "4"];
    const saved = await Promise.allSettled(versions.map((version) => save(list(version), "raced")));
    const stored = versions.filter((_, index) => saved[index]?.status === "fulfilled").map(list);
    for (const one of saved) if (one.status === "rejected") expect(one.reason).toEqual(refused("dependencies.changedMeanwhile"));
    expect(stored.length).toBeGreaterThan(0);
    const found = await contentsOf("raced");
    expect(found.map((content) => content.replace("archived ", "")).sort()).toEqual([list("0"), ...stored].sort());
    expect(found.filter((content) => !content.startsWith("archived "))).toHaveLength(1);
  });
});

describe("the lists of a workspace", () => {
  it("fit one reply, whatever they contain", async () => {
    const own = { ...world, workspace: `w-${randomUUID().slice(0, 8)}` };
    await addWorkspace(own);
    // A quotation mark has four characters in a JSON string in JSON.
    const large = (text: string) => `# ${text}${'"'.repeat(limits.dependencyListBytes - 10)}`;
    const store = (name: string, text: string) =>
      saveDependencies(own.deps, own.workspace, { language: "python3", content: large(text), name });
    const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
    for (const name of names) for (const text of ["1", "2", "3"]) await store(name, text);
    await expect(store("more", "1")).rejects.toEqual(refused("dependencies.tooLarge"));
    const lists = await listDependencies(own.deps, own.workspace);
    expect(lists.filter(({ archived }) => !archived)).toHaveLength(names.length);
    expect(lists.length).toBeGreaterThan(names.length);
    expect(Buffer.byteLength(JSON.stringify(JSON.stringify(lists)))).toBeLessThanOrEqual(limits.dependenciesReplyBytes);
  });

  it("are limited in number", async () => {
    const own = { ...world, workspace: `w-${randomUUID().slice(0, 8)}` };
    await addWorkspace(own);
    const store = (name: string, content = "{}") => saveDependencies(own.deps, own.workspace, { language: "bun", content, name });
    for (let nth = 0; nth < limits.dependencyLists; nth += 1) await store(`n${nth}`);
    await expect(store("more")).rejects.toEqual(refused("dependencies.tooMany"));
    await store("n0", list("1"));
  });
});

describe("whichever write fails,", () => {
  const fresh = () => `n${randomUUID().slice(0, 8)}`;
  const contentsOf = async (name: string) =>
    (await listDependencies(world.deps, world.workspace))
      .filter((one) => one.name === name)
      .map(({ content, archived }) => [content, archived]);
  const remove = (name: string) => deleteDependencies(world.deps, at(name));
  /** After a fault that follows the write, the repeated call finds the list deleted. */
  const orNotFound = (error: unknown) => expect(error).toEqual(refused("dependencies.notFound"));

  it("a list is stored once", async () => {
    await expectToSurviveFaults(async () => {
      const name = fresh();
      const act = () => save(list("1"), name);
      return {
        act,
        recover: act,
        check: async () => {
          expect(await contentsOf(name)).toEqual([[list("1"), false]]);
          await remove(name);
        },
      };
    });
  });

  it("a replaced list is archived once", async () => {
    await expectToSurviveFaults(async () => {
      const name = fresh();
      await save(list("1"), name);
      const act = () => save(list("2"), name);
      return {
        act,
        recover: act,
        check: async () => {
          expect(await contentsOf(name)).toEqual([
            [list("2"), false],
            [list("1"), true],
          ]);
          await remove(name);
        },
      };
    });
  });

  it("a list is archived", async () => {
    await expectToSurviveFaults(async () => {
      const name = fresh();
      await save(list("1"), name);
      const act = () => archiveDependencies(world.deps, at(name));
      return {
        act,
        recover: act,
        check: async () => {
          expect(await contentsOf(name)).toEqual([[list("1"), true]]);
          await remove(name);
        },
      };
    });
  });

  it("a list is deleted with its archived contents", async () => {
    await expectToSurviveFaults(async () => {
      const name = fresh();
      await save(list("1"), name);
      await save(list("2"), name);
      return {
        act: () => remove(name),
        recover: () => remove(name).catch(orNotFound),
        check: async () => expect(await contentsOf(name)).toEqual([]),
      };
    });
  });
});
