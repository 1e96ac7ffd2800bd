import { describe, expect, it } from "vitest";
import { buildTokenMail } from "./token-mail.ts";

const entry = {
  hash: "f".repeat(64),
  prefix: "0123456789",
  email: "ann@example.com",
  label: "ci",
  workspace: "acme",
  expiresAtMs: Date.UTC(2026, 10, 30, 8, 30),
  announced: true,
};

describe("the mail to the owner of a token", () => {
  it("says a week before its end when it expires, where it works, and what to do", () => {
    expect(buildTokenMail(entry, "TokenExpiringSoon")).toEqual({
      subject: 'Your token "ci" expires on 2026-11-30',
      lines: [
        'Your token "ci", which begins with 0123456789, expires at 2026-11-30 08:30 UTC. It works in the workspace acme only.',
        "Programs that use it are refused from then on. If you still need it, create a new token, replace the old one in these programs, and delete the old one.",
      ],
    });
  });

  it("says after its end that it was deleted, and names a token without a label by its first characters", () => {
    const { label: _, workspace: __, ...unnamed } = entry;
    expect(buildTokenMail(unnamed, "TokenExpired")).toEqual({
      subject: "Your token 0123456789 has expired",
      lines: [
        "Your token that begins with 0123456789 expired at 2026-11-30 08:30 UTC and was deleted.",
        "Programs that use it are now refused. If you still need it, create a new token and replace the old one in these programs.",
      ],
    });
  });

  it("does not contain the hash of the token", () => {
    for (const type of ["TokenExpiringSoon", "TokenExpired"] as const)
      expect(JSON.stringify(buildTokenMail(entry, type))).not.toContain(entry.hash);
  });
});
