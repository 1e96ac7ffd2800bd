import { describe, expect, it } from "vitest";
import { acceptsNewUser, parseStoredAutoInvite, toAutoInvite, toStoredAutoInvite } from "./auto-invite.ts";

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

  it("groups are stored without an effect, and remain until a request names them or contains nothing", () => {
    const ann = "ann@example.com";
    const groups = { instance_groups: ["eng"], instance_groups_roles: { eng: "admin" } };
    const first = toAutoInvite(groups, ann);
    expect(first).toEqual({ enabled: false, domain: "example.com", operator: false, mode: "invite", ...groups });
    expect(acceptsNewUser(first, "bob@example.com")).toBe(false);
    const second = toAutoInvite({ operator: true }, ann, first);
    expect(second).toEqual({ enabled: true, domain: "example.com", operator: true, mode: "invite", ...groups });
    const third = toAutoInvite({ operator: true, instance_groups: null }, ann, second);
    expect(third).toEqual({ ...second, instance_groups: undefined });
    expect(toAutoInvite({}, ann, third)).toBeUndefined();
  });

  it("groups are stored as they were sent, and settings of earlier releases have none", () => {
    const roles: unknown = JSON.parse('{"__proto__":"admin","constructor":null}');
    const setting = { enabled: true, domain: "*", operator: false, mode: "add" as const };
    const stored = (value: unknown) => parseStoredAutoInvite({ pk: "SETTINGS#w", sk: "auto_invite", value });
    const sent = { ...setting, instance_groups_roles: roles } as Parameters<typeof toStoredAutoInvite>[0];
    expect(JSON.stringify(stored(toStoredAutoInvite(sent)))).toBe(JSON.stringify(sent));
    expect(toStoredAutoInvite(setting)).toEqual(setting);
    expect(stored(setting)).toEqual(setting);
    expect(() => stored({ ...setting, groups: "{" })).toThrow("auto_invite");
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
