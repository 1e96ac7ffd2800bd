import { EXPORT_KEY_PATH } from "../../core/secrets/key-ring.ts";
import { openSecret } from "../../core/secrets/open.ts";
import { readKeyVersion } from "../../core/secrets/seal.ts";
import type { Uses } from "../uses.ts";
import { loadKeyOfVersion, requireKeyRing } from "./key-ring.ts";

// .dependency-cruiser.cjs lists the modules that may import this one.

/** Decrypts a secret of a workspace. */
export async function unsealValue(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  workspace: string,
  path: string,
  sealed: string,
): Promise<string> {
  return openSecret(await loadKeyOfVersion(deps, workspace, readKeyVersion(sealed)), { workspace, path }, sealed);
}

/** Loads the exportable key. Only its data key is cached, because an export must use a key that was just changed. */
export async function loadExportKey(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string): Promise<string> {
  return unsealValue(deps, workspace, EXPORT_KEY_PATH, (await requireKeyRing(deps, workspace)).exportKey);
}
