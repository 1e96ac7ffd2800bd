import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { bounceSchema } from "./bounce.ts";
import { buildPartName, splitNotice } from "./delivery.ts";
import { buildGateAttributes, buildNoticeEvent } from "./event.ts";
import type { GateNotice } from "./notice.ts";
import { selectRecipients } from "./recipients.ts";

const notice: GateNotice = {
  id: "018f0000-0000-7000-8000-000000000001",
  what: "opened",
  workspace: "acme",
  gate: "018f0000-0000-7000-8000-000000000002",
  flow: "018f0000-0000-7000-8000-000000000003",
  root: "018f0000-0000-7000-8000-000000000004",
  module: "c",
  step: "Check",
  kind: "suspend",
  requestedBy: "ann",
  people: ["u/ben"],
  channel: "email",
  required: 1,
  atMs: 0,
};

describe("parts of notices", () => {
  const channels = (more: Partial<GateNotice>, addresses: string[] = ["ben@example.com"]) =>
    splitNotice({ ...notice, ...more }, { addresses, messages: [] }).map(({ channel, to }) => `${channel} ${to}`);

  it.each([
    ["opened", ["topic topic", "email ben@example.com"]],
    ["reminded", ["topic topic", "email ben@example.com"]],
    ["escalated", ["topic topic", "email ben@example.com"]],
    ["decided", ["topic topic"]],
    ["expired", ["topic topic"]],
  ] as const)("a notice '%s' goes to %j", (what, expected) => {
    expect(channels({ what }, what === "decided" || what === "expired" ? [] : undefined)).toEqual(expected);
  });

  it.each(["email", "webhook", "chat"] as const)(
    "the person who started the run receives the outcome by mail, even if the channel is %s",
    (channel) => {
      for (const what of ["decided", "expired"] as const)
        expect(channels({ what, channel, url: "https://example.com" }, ["ann@example.com"]).at(-1)).toBe("email ann@example.com");
    },
  );

  it.each([
    ["https://me:secret@example.com:8443/hooks/a?token=secret#part", "https://example.com:8443"],
    ["https://hooks.slack.com/services/T0/B0/secret", "https://hooks.slack.com"],
    ["HTTP://Example.com/secret", "http://example.com"],
    ["hooks.slack.com/services/secret", "invalid URL"],
    ["mailto:secret@example.com", "invalid URL"],
    ["", "invalid URL"],
  ])("a webhook receives every notice, and only the scheme and the host of %j are shown", (url, shown) => {
    for (const what of ["opened", "decided", "expired"] as const) {
      expect(channels({ what, channel: "webhook", url }, [])).toEqual(["topic topic", `webhook ${shown}`]);
    }
  });

  it("a notice to a chat has a part for the chat", () => {
    expect(channels({ channel: "chat" })).toEqual(["topic topic", "chat chat"]);
  });

  it("a notice without mail recipients is visible, unless it names no approvers", () => {
    expect(channels({}, [])).toEqual(["topic topic", "email nobody"]);
    expect(channels({ people: [] }, [])).toEqual(["topic topic"]);
  });

  it("the number of mails is limited", () => {
    const addresses = Array.from({ length: 2000 }, (_, n) => `p${n}@example.com`);
    expect(splitNotice(notice, { addresses, messages: [] })).toHaveLength(limits.noticeMails + 1);
  });

  it("the name of a part never changes and is valid in tags of mails", () => {
    const parts = splitNotice(notice, { addresses: ["Ben+x@example.com", "ann@example.com"], messages: [] });
    expect(parts.map(buildPartName)).toEqual(parts.map(buildPartName));
    expect(new Set(parts.map(buildPartName)).size).toBe(3);
    for (const part of parts) expect(buildPartName(part)).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
  });
});

describe("recipients", () => {
  const aMember = (username: string, more: object = {}) => ({
    email: `${username}@example.com`,
    username,
    is_admin: false,
    disabled: false,
    groups: ["all"],
    ...more,
  });
  const members = [
    aMember("ann", { is_admin: true }),
    aMember("ben", { groups: ["all", "finance"] }),
    aMember("cy", { groups: ["all", "finance", "company"] }),
    aMember("dan", { groups: ["all", "finance"], is_admin: true, disabled: true }),
  ];
  const of = (...people: string[]) => selectRecipients(people, members, new Set(["Gone@example.com"]));

  it.each([
    ["u/ben", ["ben@example.com"]],
    ["u/nobody", []],
    ["g/finance", ["ben@example.com", "cy@example.com"]],
    ["g/company", ["cy@example.com"]],
    ["g/all", ["ann@example.com", "ben@example.com", "cy@example.com"]],
    ["role:admin", ["ann@example.com"]],
    ["boss@elsewhere.example", ["boss@elsewhere.example"]],
    ["u/dan", []],
    ["DAN@example.com", []],
    ["gone@example.com", []],
    ["role:owner", []],
  ])("%s is %j", (principal, expected) => {
    expect(of(principal)).toEqual(expected);
  });

  it("each recipient is listed once, in the order of the first mention", () => {
    expect(of("u/ben", "g/finance", "BEN@example.com", "role:admin")).toEqual(["ben@example.com", "cy@example.com", "ann@example.com"]);
  });
});

describe("messages for topics and webhooks", () => {
  it("a message contains ids, texts and the page, and no right to decide", () => {
    const event = buildNoticeEvent("https://svc.example.com", { ...notice, deadlineMs: 60_000, message: "x".repeat(10_000) });
    expect(event).toMatchObject({
      type: "approval.opened",
      timestamp: "1970-01-01T00:00:00.000Z",
      data: {
        workspace_id: "acme",
        run_id: notice.root,
        flow_id: notice.flow,
        gate_id: notice.gate,
        deadline: "1970-01-01T00:01:00.000Z",
        page: `https://svc.example.com/approve/acme/${notice.gate}`,
      },
    });
    expect(event.data).not.toHaveProperty("flow_path");
    expect(JSON.stringify(event).length).toBeLessThan(6000);
  });

  it("messages can be filtered by flow even if it is not stored", () => {
    expect(buildGateAttributes(notice)).toEqual({ workspace: "acme", what: "opened", kind: "suspend", flow: notice.flow, module: "c" });
    expect(buildGateAttributes({ ...notice, flowPath: "f/a/b" })).toMatchObject({ flow: "f/a/b" });
  });
});

describe("bounced mails", () => {
  const tags = { flow: ["f"], notice: ["n"], nth: ["mail-x"], "ses:configuration-set": ["set"] };
  const told = (detail: object) => bounceSchema.parse({ source: "aws.ses", detail: { mail: { tags }, ...detail } });
  const bounce = { bounceType: "Permanent", bounceSubType: "General" };

  it.each([
    [{ bounce: { ...bounce, bouncedRecipients: [{ diagnosticCode: "550 gone" }] } }, "bounced: Permanent, General, 550 gone"],
    [{ bounce: { ...bounce, bouncedRecipients: [{}] } }, "bounced: Permanent, General"],
    [{ complaint: { feedbackId: "1" } }, "the recipient reported it as spam"],
    [{ reject: { reason: "Bad content" } }, "rejected: Bad content"],
  ])("%j is reported as %s", (detail, reason) => {
    expect(told(detail)).toEqual({ flow: "f", notice: "n", nth: "mail-x", reason });
  });
});
