import { describe, expect, it } from "vitest";
import {
  type FailureNoticeRule,
  failureNoticesSchema,
  type OwnFailureNotice,
  ownFailureNoticeSchema,
} from "../../contract/routes/workspaces/failure-notices.ts";
import {
  findDueReceivers,
  findOwnRule,
  listReceivers,
  type NoticedFailures,
  type Receiver,
  type Reported,
  replaceOwnRule,
  ruleMatches,
  summarizeError,
} from "./failure-notices.ts";

const HOUR_MS = 3600_000;
const ann: Receiver = { channel: "email", to: "ann@example.com" };
const hook: Receiver = { channel: "webhook", to: "https://hooks.example.com/secret" };

describe("a rule", () => {
  it.each([
    [undefined, "f/ops/a", true],
    ["f/ops/a", "f/ops/a", true],
    ["f/ops/a", "f/ops/ab", false],
    ["f/ops/*", "f/ops/a", true],
    ["f/ops/*", "f/ops/deep/a", true],
    ["f/ops/*", "f/ops2/a", false],
    ["u/ann/*", "f/ops/a", false],
  ])("for %s applies to %s: %s", (path, runnable, expected) => {
    expect(ruleMatches({ path }, runnable)).toBe(expected);
  });

  it.each([
    [{ email: ["u/ann", "g/ops", "role:admin", "on-call@example.com"] }, true],
    [{ topic: true }, true],
    [{ webhook: "https://hooks.example.com/x" }, true],
    [{}, false],
    [{ email: [] }, false],
    [{ email: ["ann"] }, false],
    [{ email: ["a@b\nBcc: all@example.com"] }, false],
    [{ webhook: "file:///etc/passwd" }, false],
    [{ webhook: "https://me:secret@example.com" }, false],
    [{ topic: true, path: "ops" }, false],
    [{ topic: true, emial: ["u/ann"] }, false],
  ])("%j is accepted: %s", (rule, accepted) => {
    expect(failureNoticesSchema.safeParse({ rules: [rule] }).success).toBe(accepted);
  });
});

describe("the rule that the authors of a script or flow set", () => {
  const ann = { email: ["u/ann"] };
  const hooks = { path: "f/ops/a", webhook: "https://hooks.example.com/x" };
  it.each<[string, FailureNoticeRule[], OwnFailureNotice, FailureNoticeRule[]]>([
    ["is added", [], ann, [{ path: "f/ops/a", ...ann }]],
    ["replaces the one before", [{ path: "f/ops/a", email: ["g/ops"], on_recovery: true }], ann, [{ path: "f/ops/a", ...ann }]],
    ["is removed", [{ path: "f/ops/a", ...ann }], {}, []],
    ["is removed by an empty list", [{ path: "f/ops/a", ...ann }], { email: [], on_recovery: true }, []],
    ["reports recoveries", [], { ...ann, on_recovery: true }, [{ path: "f/ops/a", ...ann, on_recovery: true }]],
    [
      "leaves the rules of other paths",
      [{ ...ann }, { path: "f/ops/*", ...ann }, { path: "f/ops/ab", ...ann }],
      {},
      [{ ...ann }, { path: "f/ops/*", ...ann }, { path: "f/ops/ab", ...ann }],
    ],
    ["leaves a webhook, which only admins set", [hooks], {}, [hooks]],
    ["leaves a topic, which only admins set", [{ path: "f/ops/a", topic: true, ...ann }], {}, [{ path: "f/ops/a", topic: true, ...ann }]],
    [
      "leaves an address, which only admins set",
      [{ path: "f/ops/a", email: ["u/ann", "on-call@example.com"] }],
      {},
      [{ path: "f/ops/a", email: ["u/ann", "on-call@example.com"] }],
    ],
  ])("%s", (_, before, notice, after) => {
    expect(replaceOwnRule(before, "f/ops/a", notice)).toEqual(after);
    expect(findOwnRule(after, "f/ops/a")).toEqual(notice.email?.length ? notice : {});
    expect(failureNoticesSchema.safeParse({ rules: after }).success).toBe(true);
  });

  it.each([
    [{ email: ["u/ann", "g/ops", "role:admin"], on_recovery: true }, true],
    [{}, true],
    [{ email: null, on_recovery: null }, true],
    [{ email: ["stranger@example.com"] }, false],
    [{ email: ["u/ann"], webhook: "https://hooks.example.com/x" }, false],
    [{ email: ["u/ann"], topic: true }, false],
    [{ email: ["u/ann"], path: "f/other/b" }, false],
  ])("names only members: %j is accepted: %s", (notice, accepted) => {
    expect(ownFailureNoticeSchema.safeParse(notice).success).toBe(accepted);
  });
});

describe("the receivers of a notice", () => {
  /** Reports ends of jobs one after the other, and returns the notices of a receiver. */
  function report(ends: [what: Reported, job: string, atMs: number][], receivers: Receiver[] = [ann]): string[] {
    let noticed: NoticedFailures = { receivers: {} };
    return ends.flatMap(([what, job, atMs]) => {
      const found = findDueReceivers(noticed, receivers, { outcome: what, job, atMs });
      noticed = found.noticed;
      return found.due.map(({ to }) => `${what} ${job} ${to}`);
    });
  }

  it.each<[string, [Reported, string, number][], string[]]>([
    ["a failure", [["failed", "1", 0]], ["failed 1"]],
    [
      "the same job twice",
      [
        ["failed", "1", 0],
        ["failed", "1", 2 * HOUR_MS],
      ],
      ["failed 1"],
    ],
    [
      "two failures in an hour",
      [
        ["failed", "1", 0],
        ["failed", "2", HOUR_MS - 1],
      ],
      ["failed 1"],
    ],
    [
      "two failures an hour apart",
      [
        ["failed", "1", 0],
        ["failed", "2", HOUR_MS],
      ],
      ["failed 1", "failed 2"],
    ],
    ["a success without a failure", [["recovered", "1", 0]], []],
    [
      "a recovery, once",
      [
        ["failed", "1", 0],
        ["recovered", "2", 1],
        ["recovered", "3", 2],
      ],
      ["failed 1", "recovered 2"],
    ],
    [
      "a script that fails and succeeds in turn",
      [
        ["failed", "1", 0],
        ["recovered", "2", 1],
        ["failed", "3", 2],
        ["recovered", "4", 3],
        ["failed", "5", HOUR_MS],
      ],
      ["failed 1", "recovered 2", "failed 5"],
    ],
  ])("are right for %s", (_, ends, expected) => {
    expect(report(ends)).toEqual(expected.map((notice) => `${notice} ${ann.to}`));
  });

  it("count apart, and the record of the notices contains no URL and no address", () => {
    const { due, noticed } = findDueReceivers({ receivers: {} }, [ann, hook], { outcome: "failed", job: "1", atMs: 0 });
    expect(due).toEqual([ann, hook]);
    expect(JSON.stringify(noticed)).not.toMatch(/secret|@/);
    const later: Receiver = { channel: "topic", to: "topic" };
    expect(findDueReceivers(noticed, [ann, hook, later], { outcome: "failed", job: "2", atMs: 1 }).due).toEqual([later]);
  });

  it("get at most one failure and one recovery in an hour, whatever the order of ends", () => {
    for (let seed = 1; seed < 200; seed += 1) {
      let [random, atMs] = [seed, 0];
      const next = (below: number) => {
        random = (random * 48271) % 2147483647;
        return random % below;
      };
      const ends = Array.from({ length: 40 }, (_, n): [Reported, string, number] => {
        atMs += next(HOUR_MS / 4);
        return [next(2) === 0 ? "failed" : "recovered", String(n), atMs];
      });
      const sent = report(ends).map((text) => text.split(" "));
      for (const what of ["failed", "recovered"]) {
        const times = sent.filter(([is]) => is === what).map(([, job]) => ends[Number(job)]?.[2] ?? 0);
        if (what === "failed")
          for (const [n, time] of times.slice(1).entries()) expect(time - (times[n] ?? 0)).toBeGreaterThanOrEqual(HOUR_MS);
      }
      const order = sent.map(([is]) => is);
      expect(order.filter((is, n) => is === "recovered" && order[n - 1] !== "failed")).toEqual([]);
    }
  });
});

describe("the error of a notice", () => {
  it.each([
    [
      { name: "TypeError", message: "no disk", stack: "at secret" },
      { name: "TypeError", message: "no disk" },
    ],
    [{ message: { nested: 1 } }, { name: "Error", message: "The run failed without a message." }],
    [null, { name: "Error", message: "The run failed without a message." }],
    ["text", { name: "Error", message: "The run failed without a message." }],
  ])("of %j contains nothing but a name and a message", (error, expected) => {
    expect(summarizeError(error)).toEqual(expected);
  });

  it("is cut", () => {
    expect([...summarizeError({ message: "🧾".repeat(5000) }).message]).toHaveLength(500);
  });
});

describe("the receivers of rules", () => {
  const url = "https://hooks.example.com/a";
  it.each<[string, FailureNoticeRule[], string[]]>([
    ["are the addresses of the people", [{ email: ["u/ann"] }], ["email ann@example.com"]],
    ["include the topic once", [{ topic: true }, { topic: true }], ["topic topic"]],
    ["include each URL once", [{ webhook: url }, { webhook: url }, { webhook: `${url}b` }], [`webhook ${url}`, `webhook ${url}b`]],
    [
      "are in the order of the channels",
      [{ webhook: url, topic: true, email: ["u/ann"] }],
      ["email ann@example.com", "topic topic", `webhook ${url}`],
    ],
  ])("%s", (_, rules, expected) => {
    const addresses = rules.some(({ email }) => email) ? ["ann@example.com"] : [];
    expect(listReceivers(rules, addresses).map(({ channel, to }) => `${channel} ${to}`)).toEqual(expected);
  });
});
