import { describe, expect, it } from "vitest";
import type { TokenRecord } from "./token.ts";
import { listExpiryKeys, toTokenBadge, toTokenExpiry } from "./token-expiry.ts";

const DAY_MS = 24 * 3600_000;
const aToken = (fields: Partial<TokenRecord> = {}): TokenRecord => ({
  hash: "0a".repeat(32),
  prefix: "0123456789",
  email: "ann@example.com",
  username: "ann",
  superAdmin: false,
  createdAtMs: 0,
  lastUsedAtMs: 0,
  ...fields,
});

describe("toTokenBadge", () => {
  it.each([
    [undefined, "none"],
    [-1, "expired"],
    [0, "expired"],
    [1, "critical"],
    [7 * DAY_MS, "critical"],
    [7 * DAY_MS + 1, "soon"],
    [30 * DAY_MS, "soon"],
    [30 * DAY_MS + 1, "none"],
  ])("of a token that expires in %s ms is %s", (leftMs, badge) => {
    expect(toTokenBadge(leftMs === undefined ? undefined : 1000 * DAY_MS + leftMs, 1000 * DAY_MS)).toBe(badge);
  });
});

describe("toTokenExpiry", () => {
  it.each([
    [{ expiresAtMs: 7 * DAY_MS }, true],
    [{ expiresAtMs: 7 * DAY_MS - 1 }, false],
    [{ expiresAtMs: 14 * DAY_MS, session: true }, false],
    [{ expiresAtMs: -1 }, false],
  ])("announces the expiry of a token that is valid for a week or longer and is not a session: %j", (fields, announced) => {
    expect(toTokenExpiry(aToken(fields))).toMatchObject({ announced });
  });

  it("has no entry for a token without an end", () => {
    expect(toTokenExpiry(aToken())).toBeUndefined();
  });
});

describe("listExpiryKeys", () => {
  const entry = (expiresAtMs: number, announced: boolean) => ({ hash: aToken().hash, expiresAtMs, announced });

  it("returns the announcement a week before the expiry first, and for other tokens only the expiry", () => {
    const { first, end, all } = listExpiryKeys(entry(30 * DAY_MS, true));
    expect([first.pk, Number(first.sk.split("#")[0]), Number(end.sk.split("#")[0])]).toEqual([end.pk, 23 * DAY_MS, 30 * DAY_MS]);
    expect(all).toEqual([first, end]);
    expect(listExpiryKeys(entry(DAY_MS, false))).toMatchObject({ first: { sk: expect.stringContaining(String(DAY_MS)) }, all: [{}] });
  });

  it("sorts distant years, and times before 1970, like numbers", () => {
    const times = [-5 * DAY_MS, DAY_MS, Date.parse("9999-12-31T00:00:00Z"), Date.parse("+200000-01-01T00:00:00Z")];
    const sorted = times.map((ms) => listExpiryKeys(entry(ms, false)).end.sk);
    expect([...sorted].sort()).toEqual(sorted);
  });
});
