import * as z from "zod";
import { actions } from "../../contract/access/actions.ts";
import { limits } from "../../contract/limits.ts";
import type { ScriptDeclarations } from "../../contract/routes/stored/script-declarations.ts";
import { artefactObject, typedSourceObject } from "../../core/builds/artefact.ts";
import { buildDeclarationsKey } from "../../core/builds/build.ts";
import { may } from "../../core/permissions/may.ts";
import type { ObjectCaller } from "../identity/permit.ts";
import type { Uses } from "../uses.ts";
import { findPermittedScript } from "./load.ts";

const filesSchema = z.record(z.string(), z.string());

/** Returns the declarations that the packages of a version ship. The build has written them. Throws `script.versionNotFound`. */
export async function getScriptDeclarations(
  deps: Uses<"objects" | "storage">,
  caller: ObjectCaller,
  hash: string,
): Promise<ScriptDeclarations> {
  const { build } = await findPermittedScript(deps, caller, hash);
  if (build.state !== "ready") return { built: build.state !== "pending", files: {} };
  return { built: true, files: await loadDeclarations(deps, build.key) };
}

/**
 * Returns the declarations for a source by the SHA-256 of its text, if a build of it has ended: of a test, a flow or a version. The hash shows that the
 * caller has the text. Nothing is found for a caller who may not read a script that the text imports.
 */
export async function getSourceDeclarations(
  deps: Uses<"objects" | "storage">,
  { actor, workspace }: Pick<ObjectCaller, "actor" | "workspace">,
  sha256: string,
): Promise<Pick<ScriptDeclarations, "files">> {
  const found = await deps.objects.get(typedSourceObject.key(workspace, sha256));
  if (!found) return { files: {} };
  const { key, imports = [] } = typedSourceObject.parse(found);
  const mayReadAll = imports.every((path) => may(actor, actions.readScript.access, { workspace, path }));
  return { files: mayReadAll ? await loadDeclarations(deps, key) : {} };
}

async function loadDeclarations(deps: Uses<"objects" | "storage">, key: string): Promise<ScriptDeclarations["files"]> {
  const artefact = await deps.objects.get(artefactObject.key(key));
  if (!artefact || !artefactObject.parse(artefact).declares) return {};
  const found = await deps.storage.getObject(buildDeclarationsKey(key), limits.declarationBytes);
  return found && "bytes" in found ? filesSchema.parse(JSON.parse(found.bytes.toString())) : {};
}
