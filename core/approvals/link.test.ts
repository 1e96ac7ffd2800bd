import { describe, expect, it } from "vitest";
import type { Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { formatViewToken, parseApprovalToken, parseViewToken } from "./link.ts";

const signature = "a".repeat(64);
const id = "00000000-0000-4000-8000-000000000000";
const hostile = ["a\nb", "a\r\nBcc: b@example.com", "\u0000", "\u001b[31mred", "\u007f", "\u0085", "a\u2028b", "a\u2029b"];

describe("the approver's name in a link", () => {
  it.each(["", "kim", "Kim Lee <kim@example.com>", "김.철수", "a.b.c"])("may be %j", (approver) => {
    expect(parseApprovalToken(`1.${signature}.${approver}`)).toEqual({ resumeId: 1, signature, approver });
    const sent = { id, resumeId: 1, signature, approver };
    expect(parseViewToken(formatViewToken(sent))).toEqual(sent);
  });

  it.each(hostile)("has no control characters, however the link is signed: %j", (approver) => {
    expect(parseApprovalToken(`1.${signature}.${approver}`)).toBeUndefined();
    expect(parseViewToken(formatViewToken({ id, resumeId: 1, signature, approver }))).toBeUndefined();
  });

  const named = (Object.values(routes) as Route[]).filter(({ query }) => query && "approver" in query.shape);
  it("is a parameter of the routes that create and use links", () => {
    expect(named.length).toBeGreaterThan(6);
  });

  it.each(named.map((route) => [route.name, route] as const))(
    "is refused with a reason by %s if it has control characters",
    (_, { query }) => {
      const reasons = (approver: string) =>
        (query?.safeParse({ approver }).error?.issues ?? []).filter(({ path }) => path[0] === "approver").map(({ message }) => message);
      expect(reasons("kim")).toEqual([]);
      for (const approver of hostile) expect(reasons(approver)).toEqual(["must not contain line breaks or other control characters"]);
    },
  );
});
