import { describe, expect, it } from "vitest";
import { acceptsNewUser, toAutoInvite } from "./auto-invite.ts";

describe("automatic invitations", () => {
  it("the setting covers the domain of its author or all domains, and no user without a request", () => {
    expect(toAutoInvite({}, "ann@example.com")).toBeUndefined();
    expect(toAutoInvite({ operator: null }, "ann@example.com")).toBeUndefined();
    expect(toAutoInvite({ operator: true }, "ann@Example.com")).toEqual({
      enabled: true,
      domain: "example.com",
      operator: true,
      mode: "invite",
    });
    expect(toAutoInvite({ invite_all: true, auto_add: true }, "ann@example.com")).toMatchObject({ domain: "*", mode: "add" });
  });

  it("complete domains are compared", () => {
    const own = toAutoInvite({ auto_add: true }, "ann@example.com");
    expect(acceptsNewUser(own, "bob@EXAMPLE.com")).toBe(true);
    expect(acceptsNewUser(own, "bob@sub.example.com")).toBe(false);
    expect(acceptsNewUser(own, "bob@notexample.com")).toBe(false);
    expect(acceptsNewUser(own, "example.com@evil.org")).toBe(false);
    expect(acceptsNewUser(undefined, "bob@example.com")).toBe(false);
    expect(acceptsNewUser(toAutoInvite({ invite_all: true }, "ann@example.com"), "bob@evil.org")).toBe(true);
  });
});
