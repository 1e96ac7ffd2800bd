import { SvcError } from "../../contract/errors.ts";
import { recordSecretRead } from "../../services/secrets/masks.ts";
import type { Auth } from "../shared/domain-api.ts";
import { collaborators as c } from "./collaborators.ts";

/** Records secrets before a job receives them, so that its output can be masked. Throws `auth.invalid` if the job has ended. */
export async function noteSecrets({ actor, sentToken = "" }: Auth, secrets: readonly string[]): Promise<void> {
  if (actor.kind !== "job") return;
  if (!(await recordSecretRead(c, actor, sentToken, secrets))) throw new SvcError("auth.invalid", {});
}
