import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createShareToken, parseShareToken } from "./share.ts";

describe("the token of a link", () => {
  it("names its job, and differs each time", () => {
    const job = randomUUID();
    const [one, two] = [createShareToken(job), createShareToken(job)];
    expect(parseShareToken(one.token)).toEqual({ job, hash: one.hash });
    expect(one.hash).not.toBe(two.hash);
    expect(one.token).toMatch(/^[A-Za-z0-9_-]{64}$/);
  });

  it.each(["", "x", "é".repeat(64), `${"a".repeat(63)}=`, "a".repeat(65), `${"a".repeat(64)}\n`])("is not %j", (text) => {
    expect(parseShareToken(text)).toBeUndefined();
  });
});
