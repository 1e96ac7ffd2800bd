import { createHmac } from "node:crypto";
import type { ClientAddressMode } from "../../contract/deployment/client-addresses.ts";
import { toAddressGroup } from "./address-group.ts";

const HASH_CHARS = 16;

/**
 * Returns the form of a client's network address for a log. `shortened`: the network of an IPv4 address (/24) or of an IPv6 address (/48), to which hundreds of
 * clients belong. `hashed`: a keyed hash, which is equal for equal addresses. Without the key, all IPv4 addresses could be tried.
 */
export function describeClient(address: string, mode: ClientAddressMode, key: string | undefined): string | undefined {
  if (mode === "none" || address === "") return undefined;
  if (mode === "full") return address;
  if (mode === "shortened") return shorten(toAddressGroup(address));
  // Without a key, no address is written.
  return key ? createHmac("sha256", key).update(address).digest("hex").slice(0, HASH_CHARS) : undefined;
}

function shorten(group: string): string {
  if (group.includes(":")) return `${group.split(":").slice(0, 3).join(":")}::/48`;
  return group.includes(".") ? `${group.split(".").slice(0, 3).join(".")}.0/24` : group;
}
