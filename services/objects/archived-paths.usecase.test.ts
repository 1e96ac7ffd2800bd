import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newFlowSchema } from "../../contract/routes/flows/flows.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { newFolderSchema } from "../../contract/routes/workspaces/workspace-schemas.ts";
import { flowHeadObject } from "../../core/flows/version.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { newTriggerWorld, type TriggerWorld } from "../../test/support/use-cases/world-triggers.ts";
import { setFlowArchived } from "../flows/definitions/archive.ts";
import { saveFlow } from "../flows/definitions/save.ts";
import { createFolder, deleteFolder } from "../folders/folders.ts";
import { archiveScript } from "../scripts/archive.ts";
import { createScript } from "../scripts/create.ts";
import { changeAcl, getAcl } from "../workspaces/acls.ts";

let world: TriggerWorld;
beforeAll(async () => {
  world = await newTriggerWorld();
});

const caller = () => ({ actor: anAdmin, workspace: world.workspace });
const hashAt = async (path: string) => (await world.deps.objects.get(scriptHeadObject.key(world.workspace, path)))?.version;

/** Saves a version at a path. `from`: the path that it has now. */
const kinds = {
  script: {
    key: scriptHeadObject.key,
    save: async (path: string, from?: string) => {
      const script = { path, language: "bun", content: `// ${randomUUID()}`, summary: "", description: "" };
      const parent = from === undefined ? {} : { parent_hash: await hashAt(from) };
      await createScript(world.deps, caller(), newScriptSchema.parse({ ...script, ...parent }));
    },
    archive: (path: string) => archiveScript(world.deps, { ...caller(), path }),
  },
  flow: {
    key: flowHeadObject.key,
    save: async (path: string, from?: string) => {
      // A version's number is derived from the clock.
      world.clock.nowMs += 1;
      const at = from === undefined ? {} : { at: from };
      await saveFlow(world.deps, { ...caller(), ...at }, newFlowSchema.parse({ path, summary: "", value: { modules: [] } }));
    },
    archive: (path: string) => setFlowArchived(world.deps, { ...caller(), path }, true),
  },
};

describe.each(Object.entries(kinds))("a %s", (kind, { key, save, archive }) => {
  const newFolder = async () => {
    const name = `n${randomUUID().slice(0, 8)}`;
    await createFolder(world.deps, anAdmin, world.workspace, newFolderSchema.parse({ name }));
    return name;
  };
  const find = (path: string) => world.deps.objects.get(key(world.workspace, path));

  it("moves to the path of an archived one with its extra permissions, and not to the path of another one", async () => {
    const folder = `f/${await newFolder()}`;
    const [from, to] = [`${folder}/from`, `${folder}/to`];
    await save(from);
    await save(to);
    await changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind, path: from }, { owner: "u/ann", right: true });
    await expect(save(to, from)).rejects.toMatchObject({ code: `${kind}.pathTaken` });
    expect(await find(from)).toBeDefined();
    await archive(to);
    await save(to, from);
    expect(await find(from)).toBeUndefined();
    expect((await find(to))?.value).toMatchObject({ path: to, archived: false });
    const rights = [from, to].map((path) => getAcl(world.deps, { workspace: world.workspace, kind, path }));
    expect(await Promise.all(rights)).toEqual([{}, { "u/ann": true }]);
  });

  it("gets no new version in a folder that was deleted", async () => {
    const name = await newFolder();
    const path = `f/${name}/one`;
    await save(path);
    await deleteFolder(world.deps, { ...caller(), name });
    await expect(save(path, path)).rejects.toMatchObject({ code: "path.noFolder" });
  });
});
