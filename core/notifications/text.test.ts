import { describe, expect, it } from "vitest";
import type { GateNotice } from "./notice.ts";
import { buildMail, buildOutcomeMail, listApprovers } from "./text.ts";

const BASE = "https://svc.example.com";
const aNotice = (more: Partial<GateNotice> = {}): GateNotice => ({
  id: "018f0000-0000-7000-8000-000000000001",
  what: "opened",
  workspace: "acme",
  gate: "018f0000-0000-7000-8000-000000000002",
  flow: "018f0000-0000-7000-8000-000000000003",
  root: "018f0000-0000-7000-8000-000000000003",
  flowPath: "f/pay/invoice",
  module: "c",
  step: "Check the amount",
  kind: "consent",
  requestedBy: "ann",
  people: ["u/ben"],
  channel: "email",
  required: 1,
  atMs: Date.UTC(2026, 10, 22, 8, 0),
  ...more,
});
const page = `${BASE}/approve/acme/018f0000-0000-7000-8000-000000000002`;
const allOf = ({ subject, text, html }: ReturnType<typeof buildMail>) => [subject, text, html].join("\n");

describe("approval mails", () => {
  it("the mail contains requester, subject, deadline and page", () => {
    const { subject, text } = buildMail(BASE, aNotice({ deadlineMs: Date.UTC(2026, 10, 22, 9, 30), message: "Pay 7?" }));
    expect(subject).toBe("Approval needed: Check the amount (f/pay/invoice)");
    expect(text).toBe(
      [
        'ann started f/pay/invoice in workspace acme. It is waiting for approval at the step "Check the amount".',
        "Approvers: u/ben.",
        "This request expires at 2026-11-22 09:30 UTC.",
        "",
        "Pay 7?",
        "",
        "Review and decide:",
        page,
        "",
        "You receive this email because you are an approver. Opening the link does not approve or reject the request. You decide on the page.",
        "",
      ].join("\n"),
    );
  });

  it.each([
    ["opened", /^Approval needed: /],
    ["reminded", /^Reminder: /],
    ["escalated", /^Escalated: /],
  ] as const)("the subject of a notice that is %s has its own beginning", (what, beginning) => {
    expect(buildMail(BASE, aNotice({ what })).subject).toMatch(beginning);
  });

  it("the only URL is that of the page, which does not decide", () => {
    const mail = allOf(buildMail(BASE, aNotice({ message: "Pay 7?" })));
    expect(new Set(mail.match(/https?:\/\/[^\s"<]+/g))).toEqual(new Set([page]));
    expect(mail).not.toMatch(/jobs_u|signature|token/);
  });

  it("markup in names and messages is shown as text", () => {
    const evil = `<img src=x onerror="alert('1')">&amp;`;
    const { html } = buildMail(BASE, aNotice({ step: evil, requestedBy: evil, flowPath: evil, message: evil }));
    expect(html).not.toContain("<img");
    expect(html.match(/&lt;img src=x onerror=&quot;alert\(&#39;1&#39;\)&quot;&gt;&amp;amp;/g)).toHaveLength(4);
  });

  it("a name cannot begin another line or header", () => {
    const { subject, text } = buildMail(BASE, aNotice({ step: "a\r\nBcc: all@example.com\u2028b", requestedBy: "ann\nYou won" }));
    expect(subject).toBe("Approval needed: a Bcc: all@example.com b (f/pay/invoice)");
    expect(text.split("\n")[0]).toContain("ann You won started");
  });

  it("no character changes the direction of later text", () => {
    expect(allOf(buildMail(BASE, aNotice({ step: "a\u202egpj.exe\u2066", message: "\u202eevil" })))).not.toMatch(
      /[\u202a-\u202e\u2066-\u2069]/,
    );
  });

  it("long names and messages are cut between characters of any script", () => {
    const long = buildMail(BASE, aNotice({ step: "🧾".repeat(500), message: "é".repeat(10_000) }));
    expect([...long.subject]).toHaveLength(120);
    expect(long.subject).toMatch(/🧾…$/u);
    expect(long.text.isWellFormed() && long.html.isWellFormed()).toBe(true);
    expect([...long.text].length).toBeLessThan(5000);
    expect(buildMail(BASE, aNotice({ step: "審批 – Überprüfung – اعتماد" })).subject).toContain("審批 – Überprüfung – اعتماد");
  });

  it("path, deadline and message are optional", () => {
    const { flowPath: _, ...unsaved } = aNotice({ required: 3 });
    const { subject, text } = buildMail(BASE, unsaved);
    expect(subject).toBe("Approval needed: Check the amount (a flow)");
    expect(text).toContain("waiting for 3 approvals");
    expect(text).not.toMatch(/undefined|expires/);
  });
});

describe("the content of a request", () => {
  const content = {
    kind: "suspend" as const,
    flowSummary: "Pay invoices <fast>",
    description: "**drill** costs 7",
    inputs: [{ name: "item", value: "drill\nBcc: all@example.com <b>" }],
    people: ["g/finance", "role:admin"],
  };

  it("is in the mail: the flow, the description, the inputs and the approvers", () => {
    const { text, html } = buildMail(BASE, aNotice(content));
    expect(text).toContain("The flow: Pay invoices <fast>\nApprovers: g/finance, the admins of the workspace.");
    expect(text).toContain("\n\n**drill** costs 7\n\nitem: drill Bcc: all@example.com <b>\n");
    expect(html).toContain('<tr><th align="left">item</th><td>drill Bcc: all@example.com &lt;b&gt;</td></tr>');
    expect(html).not.toMatch(/<fast>|<b>/);
  });

  it("loses links that decide, wherever a user has put them", () => {
    const link = `${BASE}/api/w/acme/jobs_u/resume/018f0000-0000-7000-8000-000000000002/7/${"0".repeat(64)}?approver=x`;
    const evil = { ...content, description: `Click ${link} now`, inputs: [{ name: "item", value: `see ${link}` }] };
    for (const notice of [aNotice(evil), aNotice({ message: `[ok](${link.replace("resume", "cancel")})` })])
      expect(allOf(buildMail(BASE, notice))).not.toMatch(/jobs_u|0{64}/);
    const decision = { how: "rejected", by: "ben", reason: link };
    expect(allOf(buildOutcomeMail(BASE, aNotice({ what: "decided", decision })))).not.toMatch(/jobs_u|0{64}/);
  });

  it("names at most ten approvers", () => {
    const people = Array.from({ length: 30 }, (_, n) => `u/p${n}`);
    expect(buildMail(BASE, aNotice({ people })).text).toContain("u/p9 and 20 more.");
  });
});

describe("the mail about an outcome", () => {
  it.each([
    [{ how: "approved", by: "ben" }, "Approved: Check", 'Ben approved the step "Check the amount" of f/pay/invoice.'],
    [{ how: "rejected", by: "ben", reason: "too <b>much</b>" }, "Rejected: Check", 'Ben rejected the step "Check the amount"'],
    [{ how: "rejected" }, "Rejected: Check", "An unnamed approver rejected"],
    [{ how: "expired" }, "No decision was made in time: Check", "was made before 2026-11-22 08:00 UTC."],
  ])("tells the person who started the run: %j", (decision, subject, line) => {
    const mail = buildOutcomeMail(BASE, aNotice({ what: decision.how === "expired" ? "expired" : "decided", decision }));
    expect(mail.subject).toContain(subject);
    expect(mail.text).toContain(line);
    expect(mail.text).toContain("You started this run in workspace acme.");
    expect(new Set(allOf(mail).match(/https?:\/\/[^\s"<]+/g))).toEqual(new Set([page]));
    expect(mail.html).not.toContain("<b>");
  });

  it("contains the reason of a rejection", () => {
    const notice = aNotice({ what: "decided", decision: { how: "rejected", by: "ben", reason: "Too much\nfor us" } });
    expect(buildOutcomeMail(BASE, notice).text).toContain("\n\nToo much\nfor us\n");
  });
});

describe("listApprovers", () => {
  it.each<[string[], string]>([
    [["u/ann"], "ann"],
    [["g/finance", "u/ann"], "members of finance and ann"],
    [["role:admin", "g/a\nb", "kim@example.com"], "admins of the workspace, members of a b, and kim@example.com"],
    [Array.from({ length: 12 }, (_, index) => `u/p${index}`), "p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, and 2 more"],
  ])("names %j in words", (people, words) => {
    expect(listApprovers(people)).toBe(words);
  });
});
