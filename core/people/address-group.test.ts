import { describe, expect, it } from "vitest";
import { toAddressGroup } from "./address-group.ts";

describe("addresses that are treated as one", () => {
  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8:0:7::1", "2001:db8:0:7::/64"],
    ["2001:DB8:0000:0007:1:2:3:4", "2001:db8:0:7::/64"],
    ["2001:db8::", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["", "unknown"],
    ["attacker", "unknown"],
    ["1.2.3.4, 5.6.7.8", "unknown"],
  ])("the group of %j is %s", (address, group) => {
    expect(toAddressGroup(address)).toBe(group);
  });
});
