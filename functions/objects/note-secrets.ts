import { SvcError } from "../../contract/errors.ts";
import { recordSecretRead } from "../../services/secrets/masks.ts";
import type { Auth } from "../shared/domain-api.ts";
import { collaborators as c } from "./collaborators.ts";

/** Before a job gets secrets they are noted, so that whoever writes down its output can mask them. Throws `auth.invalid` when it has ended. */
export async function noteSecrets({ actor, sentToken = "" }: Auth, secrets: readonly string[]): Promise<void> {
  if (actor.kind !== "job") return;
  if (!(await recordSecretRead(c, actor, sentToken, secrets))) throw new SvcError("auth.invalid", {});
}
