import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewVariable, VariableChange } from "../../contract/routes/stored/variables.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { toSearchText } from "../../core/search/index-items.ts";
import { keyRingObject } from "../../core/secrets/key-ring.ts";
import { importSecret } from "../../core/secrets/open.ts";
import { createExportNonce, sealSecret } from "../../core/secrets/seal.ts";
import { type StoredVariable, variableObject } from "../../core/variables/variable.ts";
import { createPathFilter } from "../identity/permit.ts";
import type { ObjectTarget, PathKind } from "../objects/path-kind.ts";
import { removeObject } from "../objects/remove-object.ts";
import { changeObject, createObject } from "../objects/save-object.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import { evictKeyRing, loadSealingKey } from "../secrets/key-ring.ts";
import { maskForJob, revealSecrets, type SecretReader } from "../secrets/reveal.ts";
import { buildVariableCopyParts } from "../secrets/sealed-copies.ts";
import { loadExportKey, unsealValue } from "../secrets/unseal.ts";
import type { Uses } from "../uses.ts";
import { buildAccountLink, buildAccountMove, buildAccountRemoval } from "./account-link.ts";

interface SaveVariableOptions {
  /** `value` is an exported ciphertext. */
  alreadyEncrypted?: boolean;
}

interface VariableLocation {
  workspace: string;
  path: string;
}

/** A caller who changes the variable at a path. Without a token and a name of the call, the service itself is the caller. */
type VariableChanger = ObjectTarget & Partial<Omit<SecretReader, keyof WorkspaceCaller>>;

/** A variable's plain value, with the nonce of its exported form. */
interface PlainValue {
  value: string;
  exportNonce: string;
}

/** The data about a changed variable that the sealed copies need: its plain value, unless it does not change. */
interface SentText {
  text: string | undefined;
}

export const variableKind: PathKind<StoredVariable, Uses<"objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">, SentText> = {
  key: variableObject.key,
  parse: variableObject.parse,
  permissions: "variable",
  toSearchText,
  save: actions.saveVariable,
  exists: (path) => new SvcError("variable.exists", { path }),
  notFound: (path) => new SvcError("variable.notFound", { path }),
  changed: (path) => new SvcError("variable.changedMeanwhile", { path }),
  buildCopies: (deps, writer, { before, after }, { text }) => {
    const texts = new Map<string, string | undefined>();
    const isMoved = before !== undefined && before.path !== after?.path;
    if (isMoved) texts.set(before.path, undefined);
    if (after && text !== undefined) texts.set(after.path, text);
    return texts.size === 0 ? Promise.resolve([]) : buildVariableCopyParts(deps, writer, texts);
  },
  // The other writer may have replaced the key.
  onConflict: evictKeyRing,
};

/** Creates a variable. Throws `variable.exists`, `variable.notCiphertext`, `body.tooLarge`, `path.noFolder`, `workspace.notFound`. */
export async function createVariable(
  deps: Uses<"objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  request: NewVariable,
  { alreadyEncrypted = false }: SaveVariableOptions = {},
): Promise<void> {
  const { path, is_secret: isSecret, description } = request;
  await createObject(deps, variableKind, { actor, workspace, path }, async () => {
    const plain = await readSentValue(deps, { actor, workspace, path }, request.value, isSecret && alreadyEncrypted);
    return async () => {
      const { value, parts } = await buildValueParts(deps, { workspace, path }, isSecret, plain);
      const link = await buildAccountLink(deps, { actor, workspace }, { path, account: request.account });
      const fields = { ...optionalFields(request), ...link.fields };
      return {
        value: { path, isSecret, description, ...value, ...fields, ...editFields(deps, actor) },
        parts: [...parts, ...link.parts],
        event: { type: "CreateVariable", data: { path, is_secret: isSecret } },
        sent: { text: plain.value },
      };
    };
  });
}

/**
 * Changes the given fields of a variable; another `path` renames it. A secret that becomes readable is recorded in the audit log like a read.
 * Throws as `createVariable` does, `variable.notFound`, `object.versionChanged` and `auth.invalid`.
 */
export async function updateVariable(
  deps: Uses<"jobs" | "objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">,
  { path, expected, ...caller }: VariableChanger,
  request: VariableChange,
  { alreadyEncrypted = false }: SaveVariableOptions = {},
): Promise<void> {
  const { actor, workspace } = caller;
  const to = request.path ?? path;
  const reader = { token: "", operation: "variables.update", ...caller };
  /** Whether the audit log names this call. An attempt after a conflict adds no other entry. */
  let isRecorded = false;
  await changeObject(deps, variableKind, { actor, workspace, path, to, expected }, async () => async (before) => {
    const isSecret = request.is_secret ?? before.isSecret;
    const same = request.value === undefined && isSecret === before.isSecret && to === path;
    const plain = same
      ? undefined
      : request.value === undefined
        ? await loadStoredValue(deps, workspace, before)
        : await readSentValue(deps, { actor, workspace, path: to }, request.value, isSecret && alreadyEncrypted);
    if (plain && before.isSecret && !isSecret && request.value === undefined) {
      const secrets = [plain.value];
      await (isRecorded ? maskForJob(deps, reader, secrets) : revealSecrets(deps, reader, { secrets, resource: path }));
      isRecorded = true;
    }
    const { value, parts } = plain ? await buildValueParts(deps, { workspace, path: to }, isSecret, plain) : { value: {}, parts: [] };
    const isRelinked = request.account != null && request.account !== before.account;
    const link = isRelinked
      ? await buildAccountLink(deps, { actor, workspace }, { path: to, account: request.account })
      : { fields: {}, parts: await buildAccountMove(deps, workspace, { variable: before, to }) };
    const { exportNonce, ...kept } = before;
    const nonce = same && exportNonce !== undefined ? { exportNonce } : {};
    const variable: StoredVariable = {
      ...kept,
      ...nonce,
      ...value,
      path: to,
      isSecret,
      ...defined({ description: request.description }),
      ...optionalFields(request),
      ...link.fields,
      ...editFields(deps, actor),
    };
    return {
      value: variable,
      parts: [...parts, ...link.parts],
      event: { type: "UpdateVariable", data: { path: to, ...(to === path ? {} : { old_path: path }), is_secret: isSecret } },
      sent: { text: plain?.value },
    };
  });
}

/** Deletes a variable with its extra permissions and its account. Throws `variable.notFound`, `object.versionChanged`. */
export async function deleteVariable(
  deps: Uses<"objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">,
  target: ObjectTarget,
): Promise<void> {
  const { workspace, path } = target;
  await removeObject(deps, variableKind, target, async (before) => ({
    parts: await buildAccountRemoval(deps, workspace, before),
    event: { type: "DeleteVariable", data: { path, is_secret: before.isSecret } },
    sent: { text: undefined },
  }));
}

const editFields = ({ nowMs }: Uses<"nowMs">, actor: Actor) => ({ editedAtMs: nowMs(), editedBy: actor.username });

function optionalFields({ account, is_oauth, expires_at, labels, ws_specific }: VariableChange): Partial<StoredVariable> {
  return {
    ...(account == null ? {} : { account }),
    ...(is_oauth == null ? {} : { isOauth: is_oauth }),
    ...(expires_at == null ? {} : { expiresAt: expires_at }),
    ...(labels == null ? {} : { labels }),
    ...(ws_specific == null ? {} : { wsSpecific: ws_specific }),
  };
}

type Place = VariableLocation & { actor: Actor };

async function readSentValue(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  location: Place,
  text: string,
  encrypted: boolean,
): Promise<PlainValue> {
  const { workspace, path } = location;
  if (Buffer.byteLength(text) > limits.variableBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.variableBytes, what: "value" });
  if (!encrypted) return { value: text, exportNonce: createExportNonce() };
  const imported = importSecret(await loadExportKey(deps, workspace), text);
  if (!imported) throw new SvcError("variable.notCiphertext", { path });
  await checkOriginalReadable(deps, location, imported.nonce);
  return { value: imported.value, exportNonce: imported.nonce };
}

/**
 * Checks that the caller may read the secret from which a ciphertext was exported, because a ciphertext, for example in a repository, may be seen
 * by people who may not read the secret. Each secret has its own nonce, which copies retain. A ciphertext without an original in the workspace
 * comes from another workspace, or its secret has changed. Throws `auth.forbidden`.
 */
async function checkOriginalReadable({ objects }: Uses<"objects">, { actor, workspace }: Place, nonce: string): Promise<void> {
  const { access } = actions.readVariable;
  // Admins may read every variable, and import many of them.
  if (may(actor, { ...access, need: "admin" }, { workspace })) return;
  const stored = variableObject.parseReadable(await objects.list(variableObject.partitionKey(workspace)));
  const originals = stored.filter(({ isSecret, exportNonce }) => isSecret && exportNonce === nonce);
  const mayRead = createPathFilter({ actor, workspace }, access);
  if (originals.length > 0 && !originals.some(({ path }) => mayRead(path)))
    throw new SvcError("auth.forbidden", { action: "importing this secret", needs: "read access to its original" });
}

async function loadStoredValue(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  workspace: string,
  { path, isSecret, value, exportNonce }: StoredVariable,
): Promise<PlainValue> {
  return { value: isSecret ? await unsealValue(deps, workspace, path, value) : value, exportNonce: exportNonce ?? createExportNonce() };
}

/** Returns the stored form of a value at a path. A sealed value is written only if its key is still the current one. */
export async function buildValueParts(
  deps: Uses<"objects" | "dataKeys" | "nowMs">,
  { workspace, path }: VariableLocation,
  isSecret: boolean,
  { value, exportNonce }: PlainValue,
): Promise<{ value: Pick<StoredVariable, "value" | "exportNonce">; parts: TransactionPart[] }> {
  if (!isSecret) return { value: { value }, parts: [] };
  const { dataKey, version } = await loadSealingKey(deps, workspace);
  return {
    value: { value: sealSecret(dataKey, { workspace, path }, value), exportNonce },
    parts: [{ write: write.check(keyRingObject.key(workspace), { version }), refused: undefined }],
  };
}
