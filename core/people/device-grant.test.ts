import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { anyText } from "../../test/builders/any-text.ts";
import {
  approveGrant,
  cleanClientName,
  createDeviceCode,
  createDeviceGrant,
  createUserCode,
  type DeviceGrant,
  deviceGrantSchema,
  endGrant,
  formatUserCode,
  labelDeviceToken,
  parseUserCode,
  pollGrant,
  requirePending,
} from "./device-grant.ts";
import { computeWaitMs, countAttempt, type SignInAttempts, throttleRules } from "./sign-in-throttle.ts";
import { hashToken } from "./token.ts";

const AT = 1_700_000_000_000;
const END = AT + limits.deviceGrantMs;
const pending = createDeviceGrant({ userCode: "BCDFGHJK", clientName: "laptop", address: "203.0.113.9" }, AT);
const approver = { email: "ann@example.com", superAdmin: false };
const approved = approveGrant(pending, approver, AT + limits.deviceTokenMs);

describe("the code of a user", () => {
  it("has eight letters, none of which is a vowel, and is accepted as it is shown", () => {
    const codes = Array.from({ length: 2000 }, createUserCode);
    for (const code of codes) {
      expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
      expect(parseUserCode(formatUserCode(code))).toBe(code);
    }
    expect(formatUserCode("BCDFGHJK")).toBe("BCDF-GHJK");
    expect(new Set(codes).size).toBeGreaterThan(1990);
    expect(new Set(codes.join("")).size).toBe(20);
  });

  it.each([
    ["bcdf-ghjk", "BCDFGHJK"],
    [" BCDF GHJK ", "BCDFGHJK"],
    ["BCDF–GHJK", "BCDFGHJK"],
    ["b.c_d-f g h j k", "BCDFGHJK"],
    ["BCDF-GHJ", undefined],
    ["BCDF-GHJKL", undefined],
    ["ABCD-FGHJ", undefined],
    ["BCDF#GHJK", undefined],
    ["BCDFGHJ\u212A", undefined],
    ["", undefined],
  ])("the input %j is the code %s", (typed, code) => {
    expect(parseUserCode(typed)).toBe(code);
  });
});

it("the code of a device has 256 random bits, and its hash is that of tokens", () => {
  const { value, hash } = createDeviceCode();
  expect(Buffer.from(value, "base64url")).toHaveLength(32);
  expect(hash).toBe(hashToken(value));
  expect(createDeviceCode().value).not.toBe(value);
});

describe("the name of a client", () => {
  it.each([
    ["laptop", "laptop"],
    ["  my \n laptop\t", "my laptop"],
    ["a\u202Eb\u200Bc\u0000d", "a b c d"],
    ["<b>x</b>", "<b>x</b>"],
    ["\ud800", "\ufffd"],
    ["\u2066 \u2069", undefined],
    ["", undefined],
    [null, undefined],
    [undefined, undefined],
    ["x".repeat(100), "x".repeat(60)],
  ])("%j is shown as %j", (sent, shown) => {
    expect(cleanClientName(sent)).toBe(shown);
  });

  it("any text is shown on one line of limited length, without control characters", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (sent) => {
        const shown = cleanClientName(sent);
        if (shown === undefined) return;
        expect(shown).not.toMatch(/\p{C}|[\n\r\u2028\u2029]|^ | $/u);
        expect([...shown].length).toBeLessThanOrEqual(60);
      }),
    );
  });

  it("is part of the token's label", () => {
    expect([labelDeviceToken(pending), labelDeviceToken({})]).toEqual(["svc on laptop", "svc on an unnamed device"]);
  });
});

describe("the poll of a device", () => {
  const answerTo = (grant: DeviceGrant, nowMs: number) => {
    const poll = pollGrant(grant, nowMs);
    return poll.answer === "redeem" ? "redeem" : poll.error.code;
  };

  it.each<[string, DeviceGrant, string, string]>([
    ["undecided", pending, "device.pending", "device.expired"],
    ["allowed", approved, "redeem", "device.expired"],
    ["refused", endGrant(pending, "denied"), "device.denied", "device.denied"],
    ["redeemed", endGrant(approved, "redeemed"), "device.invalidCode", "device.invalidCode"],
  ])("for a request that is %s is answered with its state before and after the expiry", (_, grant, before, after) => {
    expect([answerTo(grant, AT), answerTo(grant, END - 1), answerTo(grant, END)]).toEqual([before, before, after]);
    expect(deviceGrantSchema.parse(grant)).toEqual(grant);
  });

  /** Polls at these seconds, and returns each answer with the resulting interval. */
  function polls(...seconds: number[]): string[] {
    let grant: DeviceGrant = pending;
    return seconds.map((second) => {
      const poll = pollGrant(grant, AT + second * 1000);
      if (poll.answer === "redeem") return "redeem";
      grant = poll.next ?? grant;
      return `${poll.error.code} ${grant.intervalS}`;
    });
  }

  it.each<[number[], string[]]>([
    [
      [0, 5, 10],
      ["device.pending 5", "device.pending 5", "device.pending 5"],
    ],
    [
      [0, 4.999, 10],
      ["device.pending 5", "device.slowDown 10", "device.pending 10"],
    ],
    [
      [0, 1, 2, 14.9, 35],
      ["device.pending 5", "device.slowDown 10", "device.slowDown 15", "device.slowDown 20", "device.pending 20"],
    ],
  ])("at the seconds %j is answered with %j", (seconds, answers) => {
    expect(polls(...seconds)).toEqual(answers);
  });

  it("a device that never waits causes a limited number of writes", () => {
    const answers = polls(...Array.from({ length: 50 }, (_, index) => index / 100));
    expect(answers.at(-1)).toBe("device.slowDown 60");
    expect(new Set(answers).size).toBe(12);
    const last = pollGrant({ ...pending, intervalS: 60, polledAtMs: AT }, AT + 1);
    expect(last).not.toHaveProperty("next");
  });

  it("an early poll gets the token of a request that was allowed", () => {
    expect(answerTo({ ...approved, polledAtMs: AT }, AT + 1)).toBe("redeem");
  });
});

describe("a decision", () => {
  it.each<[string, DeviceGrant, number, string | undefined]>([
    ["undecided", pending, END - 1, undefined],
    ["expired", pending, END, "device.notFound"],
    ["allowed", approved, AT, "device.decided"],
    ["refused", endGrant(pending, "denied"), AT, "device.decided"],
    ["redeemed", endGrant(approved, "redeemed"), AT, "device.decided"],
    ["redeemed and expired", endGrant(approved, "redeemed"), END, "device.notFound"],
  ])("about a request that is %s is possible only if nothing was decided in time", (_, grant, nowMs, code) => {
    const decide = () => requirePending(grant, nowMs);
    if (code === undefined) expect(decide()).toBe(grant);
    else expect(decide).toThrow(expect.objectContaining({ code }));
  });

  it("names the approver until the token is handed out", () => {
    expect(approved).toMatchObject({ state: "approved", approver });
    expect(JSON.stringify([endGrant(approved, "redeemed"), endGrant(pending, "denied")])).not.toContain(approver.email);
  });
});

describe("pending requests", () => {
  it.each([
    ["deviceAddress", 45],
    ["devices", 1010],
  ] as const)("under the rule %s are limited to about %d at a time, at any rate of requests", (name, limit) => {
    const rule = throttleRules[name];
    fc.assert(
      fc.property(fc.nat({ max: 3000 }), (pauseMs) => {
        let attempts: SignInAttempts | undefined;
        const made: number[] = [];
        for (let nowMs = 0; nowMs < 3 * limits.deviceGrantMs && made.length < 5000; nowMs += pauseMs) {
          nowMs += computeWaitMs(attempts, rule, nowMs);
          attempts = countAttempt(attempts, rule, nowMs);
          made.push(nowMs);
        }
        const last = made.at(-1) ?? 0;
        expect(made.filter((atMs) => atMs > last - limits.deviceGrantMs).length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 20 },
    );
  });
});
