import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewVariable, VariableChange } from "../../contract/routes/stored/variables.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { keyRingObject } from "../../core/secrets/key-ring.ts";
import { importSecret } from "../../core/secrets/open.ts";
import { createExportNonce, sealSecret } from "../../core/secrets/seal.ts";
import { type StoredVariable, variableObject } from "../../core/variables/variable.ts";
import { createPathFilter, permitPath } from "../identity/permit.ts";
import { buildPathConditions, commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { buildEventParts } from "../outbox/event.ts";
import { loadVariableEventData } from "../outbox/event-data.ts";
import { evictKeyRing, loadSealingKey, type SealDeps } from "../secrets/key-ring.ts";
import { type RevealDeps, revealSecrets, type SecretReader } from "../secrets/reveal.ts";
import { buildVariableCopyParts, type CopyDeps } from "../secrets/route-credentials.ts";
import { loadExportKey, unsealValue } from "../secrets/unseal.ts";
import { buildReplaceParts, deleteAtPath, type PathKind } from "../workspaces/stored-at-path.ts";
import { buildAccountLink, buildAccountMove, buildAccountRemoval } from "./account-link.ts";
import { requireVariable } from "./read.ts";

interface SaveVariableOptions {
  /** `value` is a ciphertext that was exported before. */
  alreadyEncrypted?: boolean;
}

interface VariableLocation {
  workspace: string;
  path: string;
}

/** A caller who changes the variable at a path. Without a token and a name of the call, it is the service itself. */
type VariableChanger = WorkspaceCaller & Partial<Omit<SecretReader, keyof WorkspaceCaller>> & { path: string };

/** A variable's plain value, with the nonce of its exported form. */
interface PlainValue {
  value: string;
  exportNonce: string;
}

const variableKind: PathKind = {
  kind: "variable",
  key: variableObject.key,
  exists: (path) => new SvcError("variable.exists", { path }),
  notFound: (path) => new SvcError("variable.notFound", { path }),
  changed: (path) => new SvcError("variable.changedMeanwhile", { path }),
  deleted: (objects, workspace, path) => ({ type: "DeleteVariable", data: () => loadVariableEventData(objects, workspace, path) }),
};

/** Creates a variable. Throws `variable.exists`, `variable.notCiphertext`, `body.tooLarge`, `path.noFolder`, `workspace.notFound`. */
export async function createVariable(
  deps: CopyDeps,
  { actor, workspace }: WorkspaceCaller,
  request: NewVariable,
  { alreadyEncrypted = false }: SaveVariableOptions = {},
): Promise<void> {
  const { path, is_secret: isSecret, description } = request;
  permitPath(actor, actions.saveVariable, workspace, path);
  const plain = await readSentValue(deps, { actor, workspace, path }, request.value, isSecret && alreadyEncrypted);
  const exists = new SvcError("variable.exists", { path });
  await retryOnConflict(
    async () => {
      const { value, parts } = await buildValueParts(deps, { workspace, path }, isSecret, plain);
      const link = await buildAccountLink(deps, { actor, workspace }, { path, account: request.account });
      const own = { ...optionalFields(request), ...link.fields };
      const variable = { path, isSecret, description, ...value, ...own, ...editFields(deps, actor) };
      const stored = await commitSealed(deps, workspace, [
        ...buildPathConditions(workspace, path),
        ...parts,
        ...link.parts,
        ...(await buildVariableCopyParts(deps, workspace, new Map([[path, plain.value]]))),
        { write: write.put({ ...variableObject.key(workspace, path), value: variable, version: randomUUID() }, "absent"), refused: exists },
        ...(await buildEventParts(deps, {
          type: "CreateVariable",
          workspace,
          by: actor.username,
          atMs: deps.nowMs(),
          data: { path, is_secret: isSecret },
        })),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => variableKind.changed(path),
  );
}

/**
 * Changes the given fields of a variable; another `path` renames it. A secret that becomes readable has an entry in the audit log, as if it was read. Throws as
 * `createVariable` does, `variable.notFound` and `auth.invalid`.
 */
export async function updateVariable(
  deps: CopyDeps & RevealDeps,
  { path, ...caller }: VariableChanger,
  request: VariableChange,
  { alreadyEncrypted = false }: SaveVariableOptions = {},
): Promise<void> {
  const { actor, workspace } = caller;
  const to = request.path ?? path;
  permitPath(actor, actions.saveVariable, workspace, to);
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(variableObject.key(workspace, path));
      if (!found) throw variableKind.notFound(path);
      const before = requireVariable(found, path);
      const isSecret = request.is_secret ?? before.isSecret;
      const same = request.value === undefined && isSecret === before.isSecret && to === path;
      const plain = same
        ? undefined
        : request.value === undefined
          ? await loadStoredValue(deps, workspace, before)
          : await readSentValue(deps, { actor, workspace, path: to }, request.value, isSecret && alreadyEncrypted);
      if (plain && before.isSecret && !isSecret && request.value === undefined)
        await revealSecrets(deps, { token: "", operation: "variables.update", ...caller }, { secrets: [plain.value], resource: path });
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
      const texts = new Map(plain ? [...(to === path ? [] : [[path, undefined] as const]), [to, plain.value] as const] : []);
      const stored = await commitSealed(deps, workspace, [
        ...parts,
        ...link.parts,
        ...(plain ? await buildVariableCopyParts(deps, workspace, texts) : []),
        ...(await buildReplaceParts(deps, variableKind, { actor, workspace, found, from: path, to, value: variable })),
        ...(await buildEventParts(deps, {
          type: "UpdateVariable",
          workspace,
          by: actor.username,
          atMs: deps.nowMs(),
          data: { path: to, ...(to === path ? {} : { old_path: path }), is_secret: isSecret },
        })),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => variableKind.changed(path),
  );
}

/** Deletes a variable with its extra permissions and its account. Throws `variable.notFound`. */
export function deleteVariable(deps: CopyDeps, actor: Actor, workspace: string, path: string): Promise<void> {
  return deleteAtPath(deps, variableKind, { actor, workspace, path }, async () => {
    const found = await deps.objects.get(variableObject.key(workspace, path));
    const account = found ? await buildAccountRemoval(deps, workspace, requireVariable(found, path)) : [];
    return [...account, ...(await buildVariableCopyParts(deps, workspace, new Map([[path, undefined]])))];
  });
}

const editFields = ({ nowMs }: SealDeps, actor: Actor) => ({ editedAtMs: nowMs(), editedBy: actor.username });

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

async function readSentValue(deps: SealDeps, place: Place, sent: string, encrypted: boolean): Promise<PlainValue> {
  const { workspace, path } = place;
  if (Buffer.byteLength(sent) > limits.variableBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.variableBytes, what: "value" });
  if (!encrypted) return { value: sent, exportNonce: createExportNonce() };
  const imported = importSecret(await loadExportKey(deps, workspace), sent);
  if (!imported) throw new SvcError("variable.notCiphertext", { path });
  await checkOriginalReadable(deps, place, imported.nonce);
  return { value: imported.value, exportNonce: imported.nonce };
}

/**
 * Checks that the caller may read the secret that a ciphertext was exported from, because a ciphertext, for example in a repository, may be
 * seen by people who may not read the secret. Each secret has its own nonce, which copies keep. A ciphertext without an original in the
 * workspace comes from another workspace, or its secret has changed. Throws `auth.forbidden`.
 */
async function checkOriginalReadable({ objects }: SealDeps, { actor, workspace }: Place, nonce: string): Promise<void> {
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
  deps: SealDeps,
  workspace: string,
  { path, isSecret, value, exportNonce }: StoredVariable,
): Promise<PlainValue> {
  return { value: isSecret ? await unsealValue(deps, workspace, path, value) : value, exportNonce: exportNonce ?? createExportNonce() };
}

/** Returns a value as it is stored at a path. A sealed value is written only if its key is still the current one. */
export async function buildValueParts(
  deps: SealDeps,
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

/** Commits the parts. If another writer was first, it may have replaced the key, so the ring is read again. */
export async function commitSealed(deps: SealDeps, workspace: string, parts: TransactionPart[]): Promise<boolean> {
  const stored = await commitParts(deps.objects, parts);
  if (!stored) evictKeyRing(workspace);
  return stored;
}
