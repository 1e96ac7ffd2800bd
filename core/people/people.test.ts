import { describe, expect, it } from "vitest";
import { type Actor, deriveUsername, nameInAuditLog, toPermissionedAs } from "./actor.ts";
import { personKey } from "./person.ts";
import { createTokenValue, hashToken, isJobToken, parseOwnerKey } from "./token.ts";

describe("tokens", () => {
  it("a token has 256 random bits, is stored by its hash, and shows ten characters", () => {
    const { value, hash, prefix } = createTokenValue("ann@example.com");
    expect(Buffer.from(value.slice(0, 43), "base64url")).toHaveLength(32);
    expect(hash).toBe(hashToken(value));
    expect(value.startsWith(prefix)).toBe(true);
    expect(prefix).toHaveLength(10);
    expect(isJobToken(value)).toBe(false);
  });

  it("a token never begins like a command option", () => {
    for (let at = 0; at < 2000; at += 1) expect(createTokenValue("ann@example.com").value.startsWith("-")).toBe(false);
  });

  it("a token contains the key of its owner's rights and not the address", () => {
    const { value } = createTokenValue("Ann@Example.com");
    expect(parseOwnerKey(value)).toBe(personKey("ann@example.com"));
    expect(parseOwnerKey(value)).not.toContain("ann");
    expect(parseOwnerKey(value.slice(0, 43))).toBeUndefined();
  });
});

describe("actors", () => {
  const person: Actor = { kind: "person", email: "a@b.c", username: "a", superAdmin: true, tokenHash: "h", tokenPrefix: "p" };
  const job: Actor = {
    kind: "job",
    email: "a@b.c",
    username: "a",
    superAdmin: true,
    jobId: "j",
    attempt: 1,
    workspace: "one",
    permissionedAs: "u/x",
  };

  it("usernames are valid in paths", () => {
    expect(deriveUsername("ann.lee+x@example.com")).toBe("ann_lee_x");
    expect(deriveUsername("@example.com")).toBe("user");
  });
  it("actors run jobs as themselves, and jobs run jobs as their own user", () => {
    expect(toPermissionedAs(person)).toBe("u/a");
    expect(toPermissionedAs(job)).toBe("u/x");
  });
});

describe("the name of a caller in the audit log of a workspace", () => {
  const caller = { username: "ann", email: "ann@example.com" };

  it("is the username of a member, and the e-mail address of a superadmin who is no member", () => {
    const rights = { workspace: "w", role: "developer" as const, groups: [], folders: {}, objects: {} };
    expect(nameInAuditLog({ ...caller, rights })).toBe("ann");
    expect(nameInAuditLog(caller)).toBe("ann@example.com");
  });
});
