import * as z from "zod";

/** Returns the unit of addresses that counts as one caller: the network of an IPv6 address, because one caller has all addresses of a /64. */
export function toAddressGroup(sourceAddress: string): string {
  const address = sourceAddress.split("%")[0] ?? "";
  const short = address.replace(/^::ffff:(?=[\d.]+$)/i, "");
  if (z.ipv4().safeParse(short).success) return short;
  if (!z.ipv6().safeParse(address).success) return "unknown";
  const [head = "", tail = ""] = address.split("::");
  const [before, after] = [head, tail].map((part) => (part === "" ? [] : part.split(":")));
  const missing = address.includes("::") ? 8 - (before?.length ?? 0) - (after?.length ?? 0) : 0;
  const groups = [...(before ?? []), ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...(after ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
