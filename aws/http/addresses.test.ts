import { describe, expect, it } from "vitest";
import { createAddressCheck } from "./addresses.ts";

describe("address checks", () => {
  const closed = createAddressCheck("");
  const local = createAddressCheck("127.0.0.0/8, ::1/128");

  it.each(["8.8.8.8", "52.95.110.1", "2600:1f18::1"])("%s is allowed", (address) => expect(closed(address)).toBe(true));
  it.each(["127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd12::1", "::ffff:10.0.0.1", "::ffff:7f00:1"])(
    "%s is rejected as an address inside the network",
    (address) => expect(closed(address)).toBe(false),
  );
  it("an instance allows its configured ranges and no others", () => {
    expect(["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1"].map(local)).toEqual([true, true, true, false]);
  });
  it.each([
    "169.254.169.254",
    "169.254.170.2",
    "::ffff:169.254.169.254",
    "fe80::1",
    "fd00:ec2::254",
    "0.0.0.0",
    "::",
    "224.0.0.1",
    "64:ff9b::a9fe:a9fe",
  ])("%s is rejected whatever the instance allows", (address) => expect(createAddressCheck("0.0.0.0/0, ::/0")(address)).toBe(false));
  it("names are not addresses, and the error contains an invalid range", () => {
    expect(closed("localhost")).toBe(false);
    expect(() => createAddressCheck("10.0.0.0")).toThrow("10.0.0.0 is not a range");
  });
});
