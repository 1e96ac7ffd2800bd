import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewVariable, VariableChange } from "../../contract/routes/stored/variables.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { importSecret, newExportNonce, seal } from "../../core/secrets/seal.ts";
import type { StoredVariable } from "../../core/variables/variable.ts";
import { permitPath } from "../identity/permit.ts";
import { buildPathConditions, commitParts, type Part, retryOnConflict } from "../outbox/commit-parts.ts";
import { buildEventWrite } from "../outbox/event.ts";
import { forgetKeyRing, loadExportKey, loadSealingKey, type SealDeps, unsealValue } from "../secrets/key-ring.ts";
import { buildAclPart } from "../workspaces/acls.ts";
import { requireVariable } from "./read.ts";

interface SaveVariableDeps {
  /** `value` is an exported ciphertext. */
  alreadyEncrypted?: boolean;
}

/** A variable's value in plain, and how it is to be stored. */
interface Plain {
  value: string;
  exportNonce: string;
}

const changed = (path: string) => new SvcError("variable.changedMeanwhile", { path });

/** Throws `variable.exists`, `variable.notCiphertext`, `body.tooLarge`, `path.noFolder`, `workspace.notFound`. */
export async function createVariable(
  deps: SealDeps,
  actor: Actor,
  workspace: string,
  asked: NewVariable,
  { alreadyEncrypted = false }: SaveVariableDeps = {},
): Promise<void> {
  const { path, is_secret: isSecret, description } = asked;
  permitPath(actor, actions.saveVariable, workspace, path);
  const plain = await plainOf(deps, workspace, path, asked.value, isSecret && alreadyEncrypted);
  const exists = new SvcError("variable.exists", { path });
  await retryOnConflict(
    async () => {
      const { value, parts } = await valueParts(deps, workspace, path, isSecret, plain);
      const variable = { path, isSecret, description, ...value, ...settable(asked), ...edited(deps, actor) };
      const stored = await commitSealed(deps, workspace, [
        ...buildPathConditions(workspace, path),
        ...parts,
        { write: write.put({ ...keys.variable(workspace, path), value: variable, version: randomUUID() }, "absent"), refused: exists },
        event(deps, actor, "CreateVariable", workspace, path),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
}

/** Changes what is there and keeps the rest; another `path` renames. Throws what creating throws, and `variable.notFound`. */
export async function updateVariable(
  deps: SealDeps,
  actor: Actor,
  workspace: string,
  path: string,
  asked: VariableChange,
  { alreadyEncrypted = false }: SaveVariableDeps = {},
): Promise<void> {
  const to = asked.path ?? path;
  permitPath(actor, actions.saveVariable, workspace, to);
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(keys.variable(workspace, path));
      const before = requireVariable(found, path);
      const expect = { version: found?.version ?? "" };
      const isSecret = asked.is_secret ?? before.isSecret;
      const same = asked.value === undefined && isSecret === before.isSecret && to === path;
      const plain = same
        ? undefined
        : asked.value === undefined
          ? await plainStored(deps, workspace, before)
          : await plainOf(deps, workspace, to, asked.value, isSecret && alreadyEncrypted);
      const { value, parts } = plain ? await valueParts(deps, workspace, to, isSecret, plain) : { value: {}, parts: [] };
      const { exportNonce, ...kept } = before;
      const nonce = same && exportNonce !== undefined ? { exportNonce } : {};
      const variable: StoredVariable = {
        ...kept,
        ...nonce,
        ...value,
        path: to,
        isSecret,
        ...(asked.description === undefined ? {} : { description: asked.description }),
        ...settable(asked),
        ...edited(deps, actor),
      };
      const object = { ...keys.variable(workspace, to), value: variable, version: randomUUID() };
      const moved: Part[] =
        to === path
          ? [{ write: write.put(object, expect), refused: undefined }]
          : [
              ...buildPathConditions(workspace, to),
              { write: write.put(object, "absent"), refused: new SvcError("variable.exists", { path: to }) },
              { write: write.remove(keys.variable(workspace, path), expect), refused: undefined },
              await buildAclPart(deps, { workspace, kind: "variable", path }, to),
            ];
      const stored = await commitSealed(deps, workspace, [...parts, ...moved, event(deps, actor, "UpdateVariable", workspace, to)]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
}

/** Throws `variable.notFound`. */
export async function deleteVariable(deps: SealDeps, actor: Actor, workspace: string, path: string): Promise<void> {
  const notFound = new SvcError("variable.notFound", { path });
  await retryOnConflict(
    async () => {
      const stored = await commitParts(deps.objects, [
        { write: write.remove(keys.variable(workspace, path), "present"), refused: notFound },
        await buildAclPart(deps, { workspace, kind: "variable", path }),
        event(deps, actor, "DeleteVariable", workspace, path),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
}

const event = (
  { nowMs }: SealDeps,
  actor: Actor,
  type: "CreateVariable" | "UpdateVariable" | "DeleteVariable",
  workspace: string,
  object: string,
) => ({
  write: buildEventWrite({ type, workspace, object, by: actor.username, atMs: nowMs() }),
  refused: undefined,
});
const edited = ({ nowMs }: SealDeps, actor: Actor) => ({ editedAtMs: nowMs(), editedBy: actor.username });

function settable({ account, is_oauth, expires_at, labels, ws_specific }: VariableChange): Partial<StoredVariable> {
  return {
    ...(account == null ? {} : { account }),
    ...(is_oauth == null ? {} : { isOauth: is_oauth }),
    ...(expires_at == null ? {} : { expiresAt: expires_at }),
    ...(labels == null ? {} : { labels }),
    ...(ws_specific == null ? {} : { wsSpecific: ws_specific }),
  };
}

async function plainOf(deps: SealDeps, workspace: string, path: string, sent: string, encrypted: boolean): Promise<Plain> {
  if (Buffer.byteLength(sent) > limits.variableBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.variableBytes, what: "value" });
  if (!encrypted) return { value: sent, exportNonce: newExportNonce() };
  const imported = importSecret(await loadExportKey(deps, workspace), sent);
  if (!imported) throw new SvcError("variable.notCiphertext", { path });
  return { value: imported.value, exportNonce: imported.nonce };
}

async function plainStored(deps: SealDeps, workspace: string, { path, isSecret, value, exportNonce }: StoredVariable): Promise<Plain> {
  return { value: isSecret ? await unsealValue(deps, workspace, path, value) : value, exportNonce: exportNonce ?? newExportNonce() };
}

/** A value as it is stored at a path. A sealed one is written only if the key that sealed it is still the current one. */
async function valueParts(
  deps: SealDeps,
  workspace: string,
  path: string,
  isSecret: boolean,
  { value, exportNonce }: Plain,
): Promise<{ value: Pick<StoredVariable, "value" | "exportNonce">; parts: Part[] }> {
  if (!isSecret) return { value: { value }, parts: [] };
  const { dataKey, version } = await loadSealingKey(deps, workspace);
  return {
    value: { value: seal(dataKey, { workspace, path }, value), exportNonce },
    parts: [{ write: write.check(keys.keyRing(workspace), { version }), refused: undefined }],
  };
}

/** Commits; when somebody was faster, that may have been who replaced the key, so the ring is read again. */
async function commitSealed(deps: SealDeps, workspace: string, parts: Part[]): Promise<boolean> {
  const stored = await commitParts(deps.objects, parts);
  if (!stored) forgetKeyRing(workspace);
  return stored;
}
