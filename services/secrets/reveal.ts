import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { nameInAuditLog, type WorkspaceCaller } from "../../core/people/actor.ts";
import { buildAuditItem } from "../audit/audit.ts";
import type { Uses } from "../uses.ts";
import { recordSecretRead } from "./masks.ts";

/** A caller who reads secrets. `token` is the one that was sent: a job's secrets are recorded under it. */
export interface SecretReader extends WorkspaceCaller {
  token: string;
  /** The name of the call in the audit log. */
  operation: string;
}

/**
 * Writes the entry in the audit log before a caller receives decrypted values, and records them for a job, so that its output can be masked. Every
 * function that returns a decrypted value to a reader calls it. `resource` names the place of the values. Throws `auth.invalid` if the job has ended.
 */
export async function revealSecrets(
  deps: Uses<"jobs" | "objects" | "nowMs">,
  { actor, workspace, token, operation }: SecretReader,
  { secrets, resource }: { secrets: readonly string[]; resource?: string | undefined },
): Promise<void> {
  const entry = { workspace, username: nameInAuditLog(actor), operation, action_kind: "Execute" as const };
  await deps.objects.put(buildAuditItem({ ...entry, ...defined({ resource }) }, deps.nowMs()));
  await maskForJob(deps, { actor, token }, secrets);
}

/** Records secrets for a job that receives them, so that its output can be masked. Throws `auth.invalid` if the job has ended. */
export async function maskForJob(
  deps: Uses<"jobs">,
  { actor, token }: Pick<SecretReader, "actor" | "token">,
  secrets: readonly string[],
): Promise<void> {
  if (actor.kind === "job" && !(await recordSecretRead(deps, actor, token, secrets))) throw new SvcError("auth.invalid", {});
}
