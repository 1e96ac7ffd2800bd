import { describe, expect, it } from "vitest";
import { isExpectedCallback, type PendingLogin, parseVerifiedPerson } from "./login.ts";

const NOW = 1_000_000_000;
const pending: PendingLogin = { client: "acme", state: "s".repeat(43), nonce: "n", verifier: "v", untilMs: NOW + 60_000 };

describe("callbacks of providers", () => {
  it("a callback must match state, login and time of this browser's sign-in", () => {
    expect(isExpectedCallback(pending, "acme", pending.state, NOW)).toBe(true);
    expect(isExpectedCallback(pending, "acme", "other", NOW)).toBe(false);
    expect(isExpectedCallback(pending, "acme", "", NOW)).toBe(false);
    expect(isExpectedCallback(pending, "other", pending.state, NOW)).toBe(false);
    expect(isExpectedCallback(pending, "acme", pending.state, NOW + 60_000)).toBe(false);
    expect(isExpectedCallback({ ...pending, untilMs: NOW + 86_400_000 }, "acme", pending.state, NOW)).toBe(false);
  });
});

describe("verified persons", () => {
  it("an address that the provider has verified is accepted", () => {
    expect(parseVerifiedPerson({ email: "ann@example.com", email_verified: true, name: "Ann" })).toEqual({
      email: "ann@example.com",
      name: "Ann",
    });
    expect(parseVerifiedPerson({ email: "ann@example.com", email_verified: "true", name: 7 })).toEqual({ email: "ann@example.com" });
  });

  it.each([
    { email: "ann@example.com", email_verified: false },
    { email: "ann@example.com", email_verified: "false" },
    { email: "ann@example.com", email_verified: 1 },
    { email: "ann@example.com" },
    { email_verified: true },
    { email: "ann", email_verified: true },
    undefined,
  ])("other claims are rejected: %j", (claims) => {
    expect(parseVerifiedPerson(claims)).toBeUndefined();
  });
});
