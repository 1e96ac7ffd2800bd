import { BlockList, isIP } from "node:net";

/** Link-local addresses, at which clouds provide metadata and credentials, and addresses that are not hosts. They are always blocked. */
const never = listOf(
  "0.0.0.0/8, 169.254.0.0/16, 224.0.0.0/4, 240.0.0.0/4, ::/128, fe80::/10, ff00::/8, fd00:ec2::/32, 64:ff9b::/96, 64:ff9b:1::/48, 2002::/16",
);
/** Loopback and private networks, which are blocked unless the instance allows them. */
const inside = listOf(
  "10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 172.16.0.0/12, 192.0.0.0/24, 192.168.0.0/16, 198.18.0.0/15, ::1/128, fc00::/7, fec0::/10",
);

/** Parses CIDR ranges, separated by commas. Throws an error for an invalid range. */
function listOf(ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(",").map((text) => text.trim())) {
    if (range === "") continue;
    const [address = "", bits] = range.split("/");
    const family = isIP(address);
    if (family === 0 || bits === undefined) throw new Error(`${range} is not a range such as 10.0.0.0/8.`);
    list.addSubnet(address, Number(bits), family === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

/**
 * Returns a function that checks whether a user's endpoint may have an address (design §8). `allowed`: ranges that the instance allows.
 * IPv4 addresses in IPv6 notation count as IPv4.
 */
export function createAddressCheck(allowed: string): (address: string) => boolean {
  const opened = listOf(allowed);
  return (address) => {
    const family = isIP(address);
    if (family === 0) return false;
    const kind = family === 6 ? "ipv6" : "ipv4";
    return !never.check(address, kind) && (opened.check(address, kind) || !inside.check(address, kind));
  };
}
