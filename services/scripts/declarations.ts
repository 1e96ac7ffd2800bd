import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import type { ScriptDeclarations } from "../../contract/routes/stored/script-declarations.ts";
import { artefactObject } from "../../core/builds/artefact.ts";
import { buildDeclarationsKey } from "../../core/builds/build.ts";
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
  const artefact = await deps.objects.get(artefactObject.key(build.key));
  if (!artefact || !artefactObject.parse(artefact).declares) return { built: true, files: {} };
  const found = await deps.storage.getObject(buildDeclarationsKey(build.key), limits.declarationBytes);
  return { built: true, files: found && "bytes" in found ? filesSchema.parse(JSON.parse(found.bytes.toString())) : {} };
}
