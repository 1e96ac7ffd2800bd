import { SvcError } from "../../contract/errors.ts";
import type { VariableJson, VariableListQuery } from "../../contract/routes/stored/variables.ts";
import { keys } from "../../core/objects/keys.ts";
import { paginate } from "../../core/objects/page.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { exportSecret } from "../../core/secrets/seal.ts";
import { matchesVariable, type StoredVariable, storedVariableSchema, toVariableJson } from "../../core/variables/variable.ts";
import { loadExportKey, type SealDeps, unsealValue } from "../secrets/key-ring.ts";

/** Throws `variable.notFound`. */
export function requireVariable(found: StoredObject | undefined, path: string): StoredVariable {
  if (!found) throw new SvcError("variable.notFound", { path });
  return storedVariableSchema.parse(found.value);
}

/** Throws `variable.notFound`. */
async function findVariable({ objects }: Pick<SealDeps, "objects">, workspace: string, path: string): Promise<StoredVariable> {
  return requireVariable(await objects.get(keys.variable(workspace, path)), path);
}

/** A variable's value, unsealed, and again if it is a secret. Throws `variable.notFound`. */
export async function getVariableValue(deps: SealDeps, workspace: string, path: string): Promise<{ value: string; secrets: string[] }> {
  const variable = await findVariable(deps, workspace, path);
  const value = await loadPlainValue(deps, workspace, variable);
  return { value, secrets: variable.isSecret ? [value] : [] };
}

export async function loadPlainValue(deps: SealDeps, workspace: string, { path, isSecret, value }: StoredVariable): Promise<string> {
  return isSecret ? unsealValue(deps, workspace, path, value) : value;
}

export interface VariableView {
  /** A secret's value in plain; otherwise it is left out, or exported where `encrypted` asks for it. */
  decrypted: boolean;
  encrypted: boolean;
}

/** Throws `variable.notFound`. */
export async function getVariable(deps: SealDeps, workspace: string, path: string, shown: VariableView): Promise<VariableJson> {
  const variable = await findVariable(deps, workspace, path);
  const value = await shownValue(deps, workspace, variable, shown);
  return toVariableJson(workspace, variable, value, { nowMs: deps.nowMs() });
}

async function shownValue(deps: SealDeps, workspace: string, variable: StoredVariable, { decrypted, encrypted }: VariableView) {
  if (decrypted || !variable.isSecret) return loadPlainValue(deps, workspace, variable);
  if (!encrypted) return undefined;
  const [key, value] = await Promise.all([loadExportKey(deps, workspace), loadPlainValue(deps, workspace, variable)]);
  return exportSecret(key, value, variable.exportNonce);
}

/** Variables that the caller sees, by path; values of secrets are left out. */
export async function listVariables(
  { objects, nowMs }: Pick<SealDeps, "objects" | "nowMs">,
  workspace: string,
  query: VariableListQuery,
  sees: (path: string) => boolean,
): Promise<VariableJson[]> {
  const stored = (await objects.list(keys.variable(workspace, "").pk)).map(({ value }) => storedVariableSchema.parse(value));
  const shown = paginate(
    stored.filter((variable) => sees(variable.path) && matchesVariable(variable, query)),
    query,
  );
  const linked = await objects.getMany(shown.map(({ path }) => keys.resource(workspace, path)));
  return shown.map((variable, index) =>
    toVariableJson(workspace, variable, variable.isSecret ? undefined : variable.value, {
      nowMs: nowMs(),
      linked: linked[index] !== undefined,
    }),
  );
}
