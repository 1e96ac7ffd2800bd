import { describe, expect, it } from "vitest";
import { may } from "../permissions/may.ts";
import { type Actor, permissionedAs, usernameOf } from "./actor.ts";
import { hashToken, isJobToken, newTokenValue } from "./token.ts";

describe("tokens", () => {
  it("have 256 random bits, are known by their hash, and show ten characters", () => {
    const { value, hash, prefix } = newTokenValue();
    expect(Buffer.from(value, "base64url")).toHaveLength(32);
    expect(hash).toBe(hashToken(value));
    expect(value.startsWith(prefix)).toBe(true);
    expect(prefix).toHaveLength(10);
    expect(isJobToken(value)).toBe(false);
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
    expect(usernameOf("ann.lee+x@example.com")).toBe("ann_lee_x");
    expect(usernameOf("@example.com")).toBe("user");
  });
  it("run jobs as themselves, and a job's jobs as the job", () => {
    expect(permissionedAs(person)).toBe("u/a");
    expect(permissionedAs(job)).toBe("u/x");
  });
  it.each([
    [person, { workspace: "one" }, true],
    [{ ...person, workspace: "one" }, { workspace: "one" }, true],
    [{ ...person, workspace: "one" }, { workspace: "two" }, false],
    [{ ...person, superAdmin: false }, { workspace: "one" }, false],
    [job, { workspace: "one" }, true],
    [job, { workspace: "two" }, false],
    [{ ...job, superAdmin: false }, { workspace: "one" }, false],
  ] as const)("may: case %#", (actor, target, expected) => {
    expect(may(actor, "jobs.get", target)).toBe(expected);
  });
});
