import { actions } from "../../contract/access/actions.ts";
import type { NewScript } from "../../contract/routes/stored/script.ts";
import { checkBundle } from "../../core/builds/check-bundle.ts";
import type { ExpectedVersions } from "../../core/objects/version.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { permitPath } from "../identity/permit.ts";
import type { Uses } from "../uses.ts";
import { createScript } from "./create.ts";
import { bundleObjectKey } from "./load.ts";

/**
 * Saves a new version of a script that runs an uploaded bundle, and returns its hash. The bundle is stored first, under its own hash, so a
 * repeated call stores it once. The suffixes of the digest in `codebase` determine its kind. Throws `bundle.*`, and as `createScript` does.
 */
export async function createSnapshot(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  caller: WorkspaceCaller & { expected?: ExpectedVersions | undefined },
  script: NewScript,
  bytes: Buffer,
): Promise<string> {
  const { actor, workspace } = caller;
  permitPath(actor, actions.saveScript, workspace, script.path);
  const { codebase } = script;
  const isModule = /\.esm(\.|$)/.test(codebase ?? "");
  const tar = codebase?.endsWith(".tar") ?? false;
  const bundle = checkBundle({ bytes, tar, ...(isModule ? { format: "esm" as const } : {}) }, script);
  await deps.storage.putObject(bundleObjectKey(workspace, bundle.sha256), bytes, "application/octet-stream");
  return createScript(deps, caller, { ...script, codebase: codebase || bundle.sha256 }, { bundle });
}
