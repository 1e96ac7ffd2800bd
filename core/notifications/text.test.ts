import { describe, expect, it } from "vitest";
import type { GateNotice } from "./notice.ts";
import { buildMail } from "./text.ts";

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
