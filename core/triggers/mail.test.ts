import { describe, expect, it } from "vitest";
import { hasTooManyParts, mailNotificationSchema, parseRecipient, refuseByVerdict } from "./mail.ts";

describe("the recipient of a mail", () => {
  it.each([
    ["orders@in.example.com", { localPart: "orders", extraArgs: undefined }],
    ["Orders@IN.example.com", { localPart: "orders", extraArgs: undefined }],
    ["orders+colour=Red+n=1+flag@in.example.com", { localPart: "orders", extraArgs: { colour: "Red", n: "1", flag: "" } }],
    ["orders+__proto__=x@in.example.com", { localPart: "orders", extraArgs: Object.fromEntries([["__proto__", "x"]]) }],
    ["orders@example.com", undefined],
    ["orders@in.example.com.attacker.net", undefined],
    ['"a@in.example.com"@attacker.net', undefined],
    ["no address", undefined],
  ])("of the address %s is %j", (address, recipient) => {
    expect(parseRecipient(address, "in.example.com")).toEqual(recipient);
  });
});

describe("a mail", () => {
  it("has too many parts if more lines than the limit begin with two hyphens", () => {
    const raw = Buffer.from(`a: b\r\n\r\n${"--x\r\n".repeat(5)}`);
    expect([hasTooManyParts(raw, 5), hasTooManyParts(raw, 4)]).toEqual([false, true]);
  });

  const receipt = (verdicts: object) => ({
    notificationType: "Received",
    mail: { messageId: "m1" },
    receipt: { recipients: ["a@b"], action: { type: "S3", objectKey: "mail/m1" }, ...verdicts },
  });
  it.each([
    [{}, undefined],
    [{ spamVerdict: { status: "PASS" }, virusVerdict: { status: "GRAY" } }, undefined],
    [{ spamVerdict: { status: "FAIL" } }, "spam"],
    [{ spamVerdict: { status: "FAIL" }, virusVerdict: { status: "FAIL" } }, "virus"],
  ])("with the verdicts %j is refused as %s", (verdicts, refusal) => {
    expect(refuseByVerdict(mailNotificationSchema.parse(receipt(verdicts)).receipt)).toBe(refusal);
  });

  it("is read from the folder of mails only", () => {
    for (const objectKey of ["jobs/w/1", "mail/../jobs/w/1", "mail/a/b", ""]) {
      expect(mailNotificationSchema.safeParse(receipt({ action: { type: "S3", objectKey } })).success).toBe(false);
    }
  });
});
