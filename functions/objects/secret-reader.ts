import type { SecretReader } from "../../services/secrets/masks.ts";
import type { Auth } from "../shared/domain-api.ts";

/** Returns the caller as a reader of secrets, with the token that was sent. */
export const secretReader = ({ actor, sentToken = "" }: Auth, workspace: string): SecretReader => ({ actor, workspace, token: sentToken });
