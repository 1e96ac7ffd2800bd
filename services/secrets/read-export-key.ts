import type { Uses } from "../uses.ts";
import { revealSecrets, type SecretReader } from "./reveal.ts";
import { loadExportKey } from "./unseal.ts";

/** The name of the key in the audit log. */
const RESOURCE = "encryption_key";

/** Returns the key that encrypts exported secrets to a reader. Its read has an entry in the audit log. */
export async function readExportKey(deps: Uses<"jobs" | "objects" | "dataKeys" | "nowMs">, reader: SecretReader): Promise<string> {
  const key = await loadExportKey(deps, reader.workspace);
  await revealSecrets(deps, reader, { secrets: [key], resource: RESOURCE });
  return key;
}
