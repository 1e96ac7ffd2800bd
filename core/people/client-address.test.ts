import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeClient } from "./client-address.ts";

const KEY = "a key of the deployment";

describe("the address of a client in a log", () => {
  it.each([
    ["203.0.113.9", "203.0.113.0/24"],
    ["::ffff:203.0.113.9", "203.0.113.0/24"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
    ["2001:db8::6", "2001:db8:0::/48"],
    ["fe80::1%eth0", "fe80:0:0::/48"],
    ["<script>", "unknown"],
  ])("%s is shortened to its network %s", (address, network) => {
    expect(describeClient(address, "shortened", undefined)).toBe(network);
  });

  it("has a hash that is equal for equal addresses, different for each deployment, and absent without a key", () => {
    const hash = describeClient("203.0.113.9", "hashed", KEY);
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    expect(describeClient("203.0.113.9", "hashed", KEY)).toBe(hash);
    expect(describeClient("203.0.113.10", "hashed", KEY)).not.toBe(hash);
    expect(describeClient("203.0.113.9", "hashed", "another key")).not.toBe(hash);
    expect(describeClient("203.0.113.9", "hashed", undefined)).toBeUndefined();
  });

  it("is unchanged only if the deployment chooses so, and absent with the setting none", () => {
    expect(describeClient("203.0.113.9", "full", KEY)).toBe("203.0.113.9");
    expect(describeClient("203.0.113.9", "none", KEY)).toBeUndefined();
    expect(describeClient("", "full", KEY)).toBeUndefined();
    fc.assert(
      fc.property(
        fc.oneof(fc.ipV4(), fc.ipV6()),
        fc.constantFrom("none" as const, "shortened" as const, "hashed" as const),
        (address, mode) => {
          const written = describeClient(address, mode, KEY) ?? "";
          // The network address itself has the same digits as its short form.
          expect(written === address || (/[1-9a-f]$/i.test(address) && written.startsWith(address))).toBe(false);
        },
      ),
    );
  });
});
