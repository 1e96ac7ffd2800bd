import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../test/builders/any-text.ts";
import { verifyJobToken } from "./job-token.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value) ?? "").toString("base64url");
const tokenOf = (header: unknown, payload: unknown = {}) => `${encode(header)}.${encode(payload)}.c2ln`;

/** A store of keys that refuses the same values as DynamoDB in keys. */
const publicKey = async (kid: unknown) => {
  if (typeof kid !== "string" || kid === "" || kid.length > 1024) throw new Error("ValidationException");
  return undefined;
};
const verify = (token: string) => verifyJobToken(publicKey as Parameters<typeof verifyJobToken>[0], token, 0);

describe("verifyJobToken", () => {
  it.each([[""], [" "], [7], [null], [true], [[]], [["a"]], [{}], ["k".repeat(100_000)], ["\u0000"], ["a/b"], ["\ud800"]])(
    "refuses a token whose kid is %j",
    async (kid) => {
      await expect(verify(tokenOf({ alg: "EdDSA", kid }))).rejects.toMatchObject({ code: "auth.invalid" });
    },
  );

  it("refuses every malformed token as invalid, and never fails otherwise", async () => {
    const header = fc.oneof(fc.jsonValue(), fc.record({ alg: fc.string(), kid: fc.jsonValue(), crit: fc.jsonValue() }));
    const token = fc.oneof(
      fc.tuple(header, fc.jsonValue()).map(([of, payload]) => tokenOf(of, payload)),
      fc.tuple(fc.string(), fc.string(), fc.string()).map((parts) => parts.join(".")),
      anyText(),
      fc.constant(`${"[".repeat(50_000)}.a.b`),
    );
    await fc.assert(
      fc.asyncProperty(token, async (sent) => {
        await expect(verify(sent)).rejects.toMatchObject({ code: "auth.invalid" });
      }),
    );
  });
});
