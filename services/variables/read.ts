import { SvcError } from "../../contract/errors.ts";
import type { VariableJson, VariableListQuery } from "../../contract/routes/stored/variables.ts";
import { getVersion, type Versioned } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { exportSecret } from "../../core/secrets/seal.ts";
import { getExportNonce, matchesVariable, type StoredVariable, toVariableJson, variableObject } from "../../core/variables/variable.ts";
import { loadPage } from "../objects/load-page.ts";
import { revealSecrets, type SecretReader } from "../secrets/reveal.ts";
import { loadExportKey, unsealValue } from "../secrets/unseal.ts";
import type { Uses } from "../uses.ts";

/** Returns the stored variable. Throws `variable.notFound`. */
function requireVariable(found: StoredObject | undefined, path: string): StoredVariable {
  if (!found) throw new SvcError("variable.notFound", { path });
  return variableObject.parse(found);
}

async function findVariable({ objects }: Uses<"objects">, workspace: string, path: string) {
  const found = await objects.get(variableObject.key(workspace, path));
  return { variable: requireVariable(found, path), version: getVersion(found ?? {}) };
}

/** Returns whether a variable exists at a path. */
export async function variableExists({ objects }: Uses<"objects">, workspace: string, path: string): Promise<boolean> {
  return (await objects.get(variableObject.key(workspace, path))) !== undefined;
}

/** Returns the exported form of a secret: encrypted with the workspace's export key, under a new nonce. */
export async function exportText(deps: Uses<"objects" | "dataKeys" | "nowMs">, workspace: string, text: string): Promise<string> {
  return exportSecret(await loadExportKey(deps, workspace), text);
}

/** Returns a variable's plain value. The read of a secret has an entry in the audit log. Throws `variable.notFound`, `auth.invalid`. */
export async function getVariableValue(
  deps: Uses<"jobs" | "objects" | "dataKeys" | "nowMs">,
  reader: SecretReader,
  path: string,
): Promise<string> {
  const { variable } = await findVariable(deps, reader.workspace, path);
  const value = await loadPlainValue(deps, reader.workspace, variable);
  if (variable.isSecret) await revealSecrets(deps, reader, { secrets: [value], resource: path });
  return value;
}

/** Returns a variable's value, decrypted if it is a secret. */
export async function loadPlainValue(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  workspace: string,
  { path, isSecret, value }: StoredVariable,
): Promise<string> {
  return isSecret ? unsealValue(deps, workspace, path, value) : value;
}

/** The form in which a secret's value is returned. */
export interface VariableView {
  /** Returns the plain value of a secret. Otherwise the value is omitted, or exported if `encrypted` is set. */
  decrypted: boolean;
  encrypted: boolean;
}

/** Returns a variable. The read of a secret, decrypted or exported, has an entry in the audit log. Throws `variable.notFound`, `auth.invalid`. */
export async function getVariable(
  deps: Uses<"jobs" | "objects" | "dataKeys" | "nowMs">,
  reader: SecretReader,
  path: string,
  view: VariableView,
): Promise<Versioned<VariableJson>> {
  const { workspace } = reader;
  const { variable, version } = await findVariable(deps, workspace, path);
  const value = await loadVisibleValue(deps, workspace, variable, view);
  if (variable.isSecret && value !== undefined)
    await revealSecrets(deps, reader, { secrets: view.decrypted ? [value] : [], resource: path });
  return { json: toVariableJson(workspace, variable, value, { nowMs: deps.nowMs() }), version };
}

async function loadVisibleValue(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  workspace: string,
  variable: StoredVariable,
  { decrypted, encrypted }: VariableView,
) {
  if (decrypted || !variable.isSecret) return loadPlainValue(deps, workspace, variable);
  if (!encrypted) return undefined;
  const [key, value] = await Promise.all([loadExportKey(deps, workspace), loadPlainValue(deps, workspace, variable)]);
  return exportSecret(key, value, getExportNonce(variable));
}

/** Lists the variables that the caller may see, by path. Values of secrets are omitted. */
export async function listVariables(
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  query: VariableListQuery,
  isVisible: (path: string) => boolean,
): Promise<VariableJson[]> {
  const shown = await loadPage(
    deps,
    { kind: variableObject, parts: [workspace], isVisible, matches: (variable) => matchesVariable(variable, query) },
    query,
  );
  const linked = await deps.objects.batchGet(shown.map(({ path }) => resourceObject.key(workspace, path)));
  return shown.map((variable, index) =>
    toVariableJson(workspace, variable, variable.isSecret ? undefined : variable.value, {
      nowMs: deps.nowMs(),
      linked: linked[index] !== undefined,
    }),
  );
}
