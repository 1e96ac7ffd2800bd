import { defined } from "../../../contract/defined.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import type { ChatResourceJson } from "../../../contract/routes/stored/resources.ts";
import { buildChatAddresses } from "../../../core/chats/chat-addresses.ts";
import { isChatType } from "../../../core/chats/chat-credential.ts";
import type { StoredObject } from "../../../core/objects/write.ts";
import { parseResourceValue, resourceObject } from "../../../core/resources/resource.ts";
import { chatCredentialObject } from "../../../core/secrets/sealed-copy.ts";
import type { Uses } from "../../uses.ts";

const NO_COPY = "It was last saved by an earlier release. Save it again.";

/**
 * Lists the resources of chat applications that the caller may see, by path: the fault for which one cannot be used, whether it trusts addresses of its
 * chat, and its addresses. None of this is a value of the resource, except the id of a bot in Teams, which is not secret.
 */
export async function listChatResources(
  { objects, baseUrl }: Uses<"objects" | "baseUrl">,
  workspace: string,
  isVisible: (path: string) => boolean,
): Promise<ChatResourceJson[]> {
  const all = resourceObject.parseReadable(await objects.list(resourceObject.partitionKey(workspace)));
  const resources = all.flatMap(({ resourceType: type, ...resource }) =>
    isChatType(type) && isVisible(resource.path) ? [{ type, ...resource }] : [],
  );
  const copies = await objects.batchGet(resources.map(({ path }) => chatCredentialObject.key(workspace, path)));
  return resources.map(({ path, type, json }, index) => {
    const value = parseResourceValue({ path, json });
    const appId = isJsonObject(value) ? value["app_id"] : undefined;
    const { callback, manifest } = buildChatAddresses(baseUrl, type, { workspace, path, appId });
    const { fault, isTrusted } = readCopy(copies[index]);
    const namesTrust = isJsonObject(value) && value["trust_email"] === true;
    return {
      path,
      resource_type: type,
      ...defined({ fault }),
      address_trust: namesTrust ? (isTrusted ? "on" : "inactive") : "off",
      callback_url: callback,
      ...defined({ manifest_url: manifest }),
    };
  });
}

/** The field that trusts addresses has effect only while administrators alone have saved the resource and its variables. */
function readCopy(stored: StoredObject | undefined): { fault?: string; isTrusted: boolean } {
  const copy = stored && chatCredentialObject.parse(stored);
  if (!copy) return { fault: NO_COPY, isTrusted: false };
  return "fault" in copy ? { fault: copy.fault, isTrusted: false } : { isTrusted: copy.trusted === true };
}
