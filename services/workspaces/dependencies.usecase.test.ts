import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { BuildRequest } from "../../core/builds/build.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { addJob, addWorkspace } from "../../test/support/use-cases/room-jobs.ts";
import { buildArtefact } from "../builds/artefact.ts";
import { archiveDependencies, deleteDependencies, getDependencies, listDependencies, saveDependencies } from "./dependencies.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
});

const list = (version: string) => JSON.stringify({ dependencies: { zod: version } });
const save = (content: string, name?: string) => saveDependencies(room.deps, room.workspace, { language: "bun", content, name });
const at = (name?: string) => ({ workspace: room.workspace, language: "bun" as const, name });
const refused = (code: string) => expect.objectContaining({ code });

/** Returns what the function `build` receives for a script. */
async function requestOf(content: string, lock?: string): Promise<BuildRequest | { error: string }> {
  let request: BuildRequest | undefined;
  room.answers.build = async (sent) => {
    request = sent;
    return { ok: false, error: "This test builds nothing.", log: "" };
  };
  const job = await addJob(room);
  const source = { workspace: room.workspace, runner: "bun" as const, path: `f/t/${randomUUID()}`, content, lock, job };
  const result = await buildArtefact(room.deps as never, source);
  return request ?? { error: result.ok ? "" : result.error };
}

describe("a list of package versions", () => {
  it("is stored, replaced, archived and deleted", async () => {
    const id = await save(list("3"));
    expect(await getDependencies(room.deps, at())).toMatchObject({ id, content: list("3"), language: "bun", archived: false });
    // The same list again is no change.
    expect(await save(list("3"))).toBe(id);
    expect(await save(list("4"))).toBeGreaterThan(id);
    expect((await listDependencies(room.deps, room.workspace)).map(({ content }) => content)).toEqual([list("4")]);
    await archiveDependencies(room.deps, at());
    await expect(getDependencies(room.deps, at())).rejects.toEqual(refused("dependencies.notFound"));
    await save(list("4"));
    await deleteDependencies(room.deps, at());
    await expect(deleteDependencies(room.deps, at())).rejects.toEqual(refused("dependencies.notFound"));
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
    await archiveDependencies(room.deps, at());
    expect(await requestOf('import "zod";')).not.toHaveProperty("dependencies");
  });

  it("is stored once, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const name = `n${randomUUID().slice(0, 8)}`;
      const act = () => save(list("1"), name);
      return {
        act,
        recover: act,
        check: async () => {
          expect(await getDependencies(room.deps, at(name))).toMatchObject({ content: list("1") });
          await deleteDependencies(room.deps, at(name));
        },
      };
    });
  });
});
