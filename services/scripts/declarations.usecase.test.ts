import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { scriptDeclarationRoutes as routes } from "../../contract/routes/stored/script-declarations.ts";
import type { Person } from "../../core/people/actor.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { work } from "../../test/support/use-cases/world-jobs.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { createScript } from "./create.ts";
import { getScriptDeclarations, getSourceDeclarations } from "./declarations.ts";
import { hashSource } from "./temp-sources.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const files = { "node_modules/a/index.d.ts": "export declare const a: 1;" };
const success = { ok: true, lock: "", sha256: "0".repeat(64), bytes: 1, log: "" } as const;

/** Saves a script whose build uploads a text as declarations. */
async function save(
  declarations: string | undefined,
  content = `import "a";\nexport const main = () => "${randomUUID()}";`,
  path = `f/t/${randomUUID()}`,
): Promise<string> {
  world.answers.build = async ({ declarationsUrl = "" }) => {
    if (declarations === undefined) return success;
    const { ok } = await fetch(declarationsUrl, { method: "PUT", body: declarations });
    return { ...success, declares: ok };
  };
  const script = newScriptSchema.parse({ path, language: "bun", content, summary: "" });
  return await createScript(world.deps, { actor: anAdmin, workspace: world.workspace }, script);
}
const read = (hash: string, actor: Person = aReader(world.workspace, ["t"])) =>
  getScriptDeclarations(world.deps, { actor, action: routes.scriptDeclarations, workspace: world.workspace }, hash);

describe("the declarations of the packages of a version", () => {
  it("are there once the build has ended, for a caller who may read the script", async () => {
    const hash = await save(JSON.stringify(files));
    expect(await read(hash)).toEqual({ built: false, files: {} });
    await work(world);
    expect(await read(hash)).toEqual({ built: true, files });
    await expect(read(hash, aReader(world.workspace, []))).rejects.toMatchObject({ code: "script.versionNotFound" });
    await expect(read("0123456789abcdef")).rejects.toMatchObject({ code: "script.versionNotFound" });
  });

  it("are found by the text of a source, for a caller who may read all that it imports", async () => {
    const content = `import "a";\nexport const main = () => "${randomUUID()}";`;
    const readSource = (text: string, folders: string[]) =>
      getSourceDeclarations(world.deps, { actor: aReader(world.workspace, folders), workspace: world.workspace }, hashSource(text));
    await save(JSON.stringify(files), content);
    expect(await readSource(content, [])).toEqual({ files: {} });
    await work(world);
    expect(await readSource(content, [])).toEqual({ files });
    const path = `f/t/${randomUUID()}`;
    await save(undefined, "export const half = 1;", path);
    await work(world);
    const importing = `import "/${path}";\nimport "a";\nexport const main = 1;`;
    await save(JSON.stringify(files), importing);
    await work(world);
    expect(await readSource(importing, ["t"])).toEqual({ files });
    expect(await readSource(importing, [])).toEqual({ files: {} });
  });

  it.each([
    ["uploads none", undefined],
    ["uploads more than a reply may contain", JSON.stringify({ a: "a".repeat(limits.declarationBytes) })],
  ])("are none if the build %s", async (_, declarations) => {
    const hash = await save(declarations);
    await work(world);
    expect(await read(hash)).toEqual({ built: true, files: {} });
  });

  it("are none after a build that failed", async () => {
    const hash = await save(undefined);
    world.answers.build = async () => ({ ok: false, error: "There is no package a.", log: "" });
    await work(world);
    expect(await read(hash)).toEqual({ built: true, files: {} });
  });
});
