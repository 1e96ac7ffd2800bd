import { describe, expect, it } from "vitest";
import { type Actor, deriveUsername, toPermissionedAs } from "./actor.ts";
import { personKey } from "./person.ts";
import { createTokenValue, hashToken, isJobToken, parseOwnerKey } from "./token.ts";

describe("tokens", () => {
  it("have 256 random bits, are known by their hash, and show ten characters", () => {
    const { value, hash, prefix } = createTokenValue("ann@example.com");
    expect(Buffer.from(value.slice(0, 43), "base64url")).toHaveLength(32);
    expect(hash).toBe(hashToken(value));
    expect(value.startsWith(prefix)).toBe(true);
    expect(prefix).toHaveLength(10);
    expect(isJobToken(value)).toBe(false);
  });

  it("never begin like an option of a command", () => {
    for (let at = 0; at < 2000; at += 1) expect(createTokenValue("ann@example.com").value.startsWith("-")).toBe(false);
  });

  it("tell whose rights to read with them, and not the address", () => {
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

  it("make usernames that fit a path", () => {
    expect(deriveUsername("ann.lee+x@example.com")).toBe("ann_lee_x");
    expect(deriveUsername("@example.com")).toBe("user");
  });
  it("run jobs as themselves, and a job's jobs as the job", () => {
    expect(toPermissionedAs(person)).toBe("u/a");
    expect(toPermissionedAs(job)).toBe("u/x");
  });
});
