import { limits } from "../../contract/limits.ts";
import { PromiseCache } from "../../contract/utilities/promise-cache.ts";
import type { ChatCredential } from "../../core/chats/chat-credential.ts";
import type { Credential } from "../../core/http-routes/authentication/credential.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { parseJson } from "../../core/records/record-format.ts";
import { openSecret } from "../../core/secrets/open.ts";
import type { DataKeys } from "../../ports/keys.ts";
import type { Uses } from "../uses.ts";
import { type CopyPurpose, copyPurposes, locateCopy } from "./copy-purposes.ts";

interface CopyPlace {
  workspace: string;
  path: string;
}

/** Opens the copy of a resource that was read with a request's route. Returns `undefined` if there is no usable copy. */
export async function openHttpRouteCredential(
  { httpRouteKeys, nowMs }: Uses<"httpRouteKeys" | "nowMs">,
  place: CopyPlace,
  stored: StoredObject | undefined,
): Promise<Credential | undefined> {
  return (await openCopy({ keys: httpRouteKeys, purpose: copyPurposes.route, nowMs }, place, stored)) as Credential | undefined;
}

/** Opens the copy of a resource of a chat application. Returns `undefined` if there is no usable copy. */
export async function openChatCredential(
  { chatKeys, nowMs }: Uses<"chatKeys" | "nowMs">,
  place: CopyPlace,
  stored: StoredObject | undefined,
): Promise<ChatCredential | undefined> {
  return (await openCopy({ keys: chatKeys, purpose: copyPurposes.chat, nowMs }, place, stored)) as ChatCredential | undefined;
}

const openedKeys = new PromiseCache<string, Buffer>();

async function openCopy(
  { keys, purpose, nowMs }: { keys: DataKeys; purpose: CopyPurpose; nowMs: () => number },
  { workspace, path }: CopyPlace,
  stored: StoredObject | undefined,
): Promise<unknown> {
  const copy = stored && purpose.copies.parse(stored);
  if (!copy || !("sealed" in copy)) return undefined;
  const { wrapped, sealed } = copy;
  const key = await openedKeys.get(wrapped, () => keys.unwrap(workspace, wrapped), { nowMs: nowMs(), forMs: limits.dataKeyCacheMs });
  return parseJson({
    parent: `${purpose.name} credentials`,
    ref: path,
    json: openSecret(key, locateCopy(purpose, workspace, path), sealed),
  });
}

/** Returns the reason for which the copy of a resource cannot authenticate requests with a type of credential, or `undefined`. */
export function findCopyFault(stored: StoredObject | undefined, type: Credential["type"]): string | undefined {
  const copy = stored && copyPurposes.route.copies.parse(stored);
  if (copy?.type !== type) return `The resource must have the type ${type}.`;
  return "fault" in copy ? copy.fault : undefined;
}
