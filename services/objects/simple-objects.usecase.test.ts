import { beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { simpleKinds } from "../../contract/kinds/kinds.ts";
import type { SimpleKind } from "../../contract/kinds/simple-kind.ts";
import { simpleObject } from "../../core/objects/simple-object.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { createSimple, listSimple } from "./simple-objects.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
  // The product has no simple kind yet.
  (simpleKinds as Map<string, SimpleKind>).set("note", { fields: z.object({ text: z.string() }), columns: ["path"] });
});

it("an object of a simple kind that cannot be read is left out of the list", async () => {
  const { deps, workspace } = world;
  for (const name of ["a", "b", "c"]) {
    const path = `f/t/${name}`;
    await createSimple(deps, "note", { actor: anAdmin, workspace, path }, { path, text: name });
  }
  const damage = async (name: string, value: object) => {
    const key = simpleObject.key(workspace, "note", `f/t/${name}`);
    const found = await deps.objects.get(key);
    await deps.objects.put({ ...key, value: { ...(found?.value as object), ...value } });
  };
  await damage("a", { fields: { text: 7 } });
  await damage("b", { editedAtMs: "never" });
  const listed = await listSimple(deps, "note", { workspace, query: {} }, () => true);
  expect(listed).toMatchObject([{ path: "f/t/c", text: "c" }]);
});
