import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import type { ChatCredential, ChatType } from "../../core/chats/chat-credential.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { Uses } from "../uses.ts";
import { loadChatCredential } from "./load-credential.ts";

/** A call of a vendor, which is not verified yet. `path`: the path of the resource whose address the vendor called. */
export interface ReceivedCall {
  workspace: string;
  path: string;
  headers: Payload["headers"];
  readPayload: () => Promise<Payload>;
}

/**
 * Loads what the check of a call needs: the credential of the called resource, which must have the type, and the bytes. Throws `chat.noResource` and
 * `body.tooLarge`.
 */
export async function openCall<Type extends ChatType>(
  deps: Uses<"objects" | "chatKeys" | "nowMs">,
  { workspace, path, readPayload }: ReceivedCall,
  type: Type,
): Promise<{ credential: Extract<ChatCredential, { type: Type }>; bytes: Buffer }> {
  const credential = await loadChatCredential(deps, { workspace, path });
  if (typeof credential === "string" || !hasType(credential, type)) throw new SvcError("chat.noResource", {});
  const { bytes } = await readPayload();
  if (bytes.length > limits.chatCallBytes) throw new SvcError("body.tooLarge", { limitBytes: limits.chatCallBytes, what: "body" });
  return { credential, bytes };
}

const hasType = <Type extends ChatType>(credential: ChatCredential, type: Type): credential is Extract<ChatCredential, { type: Type }> =>
  credential.type === type;

/** Reports why a call does not come from its vendor, and returns the error for the caller, who learns no reason. */
export function refuseCall(vendor: string, workspace: string, cause: unknown): SvcError {
  reportFailure(`A call of ${vendor} was refused`, cause, { workspace });
  return new SvcError("chat.signature", {}, { cause });
}
