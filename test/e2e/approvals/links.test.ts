import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, runOf, sees, startRun, type Urls, urls, visit, waiting } from "../../support/approvals/approvals.ts";
import { flow } from "../../support/flows/flow.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

/** A flow that waits, and a link for it. */
async function startApproval(suspend: object = {}, query: Record<string, string> = {}): Promise<Urls & { run: string; gate: string }> {
  const run = await startRun(ws, [asks("ask", suspend), sees()]);
  const [gate] = await waiting(ws, run);
  return { ...(await urls(ws, gate?.gate_id ?? "", query)), run, gate: gate?.gate_id ?? "" };
}
const stillWaits = async (run: string) => expect((await runOf(ws, run)).gates[0]?.decision).toBeUndefined();

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8", "user-agent": "Mozilla/5.0 (X11; Linux x64) Firefox/140.0" };
const SCANNERS: Record<string, Record<string, string>> = {
  "a browser": browser,
  "a browser that asks for anything": { accept: "*/*", "user-agent": browser["user-agent"] },
  "a navigation": { accept: "*/*", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
  "a chat's preview": { accept: "*/*", "user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" },
  "a mail gateway": { accept: "*/*", "user-agent": "Proofpoint URL Defense" },
  "a prefetch": { accept: "*/*", "user-agent": "curl/8", "sec-purpose": "prefetch;prerender" },
  "an old prefetch": { accept: "*/*", purpose: "prefetch" },
  "a social network": { "user-agent": "facebookexternalhit/1.1" },
};

describe.concurrent("links opened by machines", () => {
  let open: Awaited<ReturnType<typeof startApproval>>;
  beforeAll(async () => {
    open = await startApproval();
  });

  it.each(Object.entries(SCANNERS))("a link decides nothing when %s opens it", async (_, headers) => {
    const { run, ...links } = open;
    for (const name of ["resume", "cancel"] as const) {
      const answer = await visit(links[name], { method: "GET", headers });
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe(links.approvalPage);
    }
    await stillWaits(run);
  });

  it.each(["HEAD", "OPTIONS", "PUT", "PROPFIND"])("a link decides nothing by %s", async (method) => {
    const { run, resume, cancel } = open;
    for (const url of [resume, cancel]) expect((await visit(url, { method, headers: browser })).status).toBeLessThan(500);
    for (const url of [resume, cancel]) expect((await visit(url, { method })).status).toBeLessThan(500);
    await stillWaits(run);
  });

  it("a GET by a program counts, with its payload in base64 of either alphabet", async () => {
    const { run, resume } = await startApproval({}, { approver: "kim" });
    const payload = Buffer.from(JSON.stringify({ text: "ÿ>?" })).toString("base64url");
    const url = `${resume}&payload=${payload}`;
    expect(await visit(url, { method: "GET", headers: { accept: "*/*", "user-agent": "curl/8.5" } })).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({ result: { resume: { text: "ÿ>?" }, approvers: ["kim"] } });
  });

  it("every GET except a prefetch counts if the workspace's setting says so", async () => {
    const own = await newWorkspace();
    const run = await startRun(own, [asks("ask"), sees()]);
    const [gate] = await waiting(own, run);
    const { resume } = await urls(own, gate?.gate_id ?? "");
    expect((await own.post("workspaces/edit_approvals", { every_get_counts: true })).status).toBe(200);
    expect(await visit(resume, { method: "GET", headers: { ...browser, "sec-purpose": "prefetch" } })).toMatchObject({ status: 303 });
    expect(await visit(resume, { method: "GET", headers: browser })).toMatchObject({ status: 201 });
    expect(await own.completed(run)).toMatchObject({ success: true });
  });
});

describe.concurrent("incomplete links", () => {
  const changed = (links: Urls, change: (url: string) => string) => [links.resume, links.cancel].map(change);
  const cases: Record<string, (links: Urls & { gate: string }, other: string) => string[]> = {
    "with another signature": (links) =>
      changed(links, (url) => url.replace(/[0-9a-f]{64}/, (hex) => hex.replace(/^./, (first) => (first === "0" ? "1" : "0")))),
    "with no signature": (links) => changed(links, (url) => url.replace(/[0-9a-f]{64}/, "x")),
    "for another approver": (links) => changed(links, (url) => url.replace("approver=kim", "approver=eve")),
    "without its approver": (links) => changed(links, (url) => url.replace("?approver=kim", "")),
    "with another number": (links) => changed(links, (url) => url.replace(/\/\d+\/(?=[0-9a-f]{64})/, "/1/")),
    "of another workspace": (links, other) => changed(links, (url) => url.replace(`/w/${ws.id}/`, `/w/${other}/`)),
    "of a workspace that is none": (links) => changed(links, (url) => url.replace(`/w/${ws.id}/`, "/w/nowhere/")),
    "for another job": (links) => changed(links, (url) => url.replace(links.gate, randomUUID())),
  };
  let links: Awaited<ReturnType<typeof startApproval>>;
  let other: Workspace;
  beforeAll(async () => {
    [links, other] = await Promise.all([startApproval({}, { approver: "kim" }), newWorkspace()]);
  });

  it.each(Object.entries(cases))("%s is invalid, by POST and by GET, and decides nothing", async (_, spoil) => {
    for (const url of spoil(links, other.id)) {
      for (const method of ["POST", "GET"]) {
        const answer = await visit(url, { method });
        expect([url.length > 0, answer.status, answer.headers.get("x-svc-error")]).toEqual([true, 404, "approval.link"]);
      }
    }
    await stillWaits(links.run);
  });

  it("a link of one step is invalid for another", async () => {
    const [one, two] = await Promise.all([startApproval(), startApproval()]);
    const [, signature = ""] = /\/([0-9a-f]{64})/.exec(one.resume) ?? [];
    expect(await visit(two.resume.replace(/[0-9a-f]{64}/, signature))).toMatchObject({ status: 404 });
    await stillWaits(two.run);
  });
});

describe.concurrent("payloads of approvals", () => {
  const form = {
    schema: {
      type: "object",
      properties: { amount: { type: "number", minimum: 1 }, tags: { type: "array", items: { type: "string" } }, note: { type: "string" } },
      required: ["amount"],
      order: ["amount", "note", "tags"],
    },
  };

  it("a payload that does not match the form decides nothing", async () => {
    const { run, resume } = await startApproval({ resume_form: form });
    const bad = await visit(resume, { body: { amount: "much", tags: [1] } });
    expect([bad.status, bad.headers.get("x-svc-error"), bad.text]).toEqual([
      422,
      "approval.form",
      expect.stringMatching(/amount.*number.*tags/s),
    ]);
    expect(await visit(resume)).toMatchObject({ status: 422, text: expect.stringContaining("amount") });
    await stillWaits(run);
    expect(await visit(resume, { body: { amount: 5, tags: ["a"] } })).toMatchObject({ status: 201 });
    expect(await ws.completed(run)).toMatchObject({ result: { resume: { amount: 5, tags: ["a"] } } });
  });

  it("a form that is not a JSON Schema is rejected on save, and fails the step of a preview", async () => {
    const asking = asks("ask", { resume_form: { schema: { type: "object", properties: { a: { type: "no such type" } } } } });
    const saved = await ws.post("flows/create", { path: "f/t/badform", summary: "", value: { modules: [asking] } });
    expect([saved.status, saved.text]).toEqual([422, expect.stringMatching(/the step ask.*cannot be used/)]);
    expect(await ws.completed(await startRun(ws, [asking]))).toMatchObject({ success: false, result: { error: { name: "ApprovalForm" } } });
  });

  it("a payload must be one of the choices that the step computed", async () => {
    const run = await startRun(ws, [
      asks(
        "ask",
        { resume_form: { schema: { type: "object", properties: { who: { type: "string" } } } } },
        "({ enums: { who: ['ann', 'bob'] } })",
      ),
      sees(),
    ]);
    const [gate] = await waiting(ws, run);
    const { resume } = await urls(ws, gate?.gate_id ?? "");
    expect(await visit(resume, { body: { who: "eve" } })).toMatchObject({ status: 422, text: expect.stringContaining("ann, bob") });
    expect(await visit(resume, { body: { who: "bob" } })).toMatchObject({ status: 201 });
  });

  it("a payload is any JSON, a form, or empty, and other bodies are rejected", async () => {
    const cases: [unknown, unknown, Record<string, string>][] = [
      [undefined, {}, {}],
      ["[1,2]", [1, 2], {}],
      ['"text"', "text", {}],
      ["null", null, {}],
      ["a=1&b=x", { a: "1", b: "x" }, { "content-type": "application/x-www-form-urlencoded" }],
    ];
    for (const [body, resume, headers] of cases) {
      const links = await startApproval();
      expect(await visit(links.resume, { body, headers })).toMatchObject({ status: 201 });
      expect((await ws.completed(links.run))["result"]).toMatchObject({ resume });
    }
    const { run, resume } = await startApproval();
    expect(await visit(resume, { body: "{not json" })).toMatchObject({ status: 400 });
    expect(await visit(`${resume}?payload=***`, { method: "GET" })).toMatchObject({ status: 400 });
    expect(await visit(resume, { body: { big: "x".repeat(1024 * 1024) } })).toMatchObject({ status: 413 });
    await stillWaits(run);
  });

  it("a payload up to the limit is stored completely", async () => {
    const { run, resume } = await startApproval();
    const text = "é".repeat(100_000);
    expect(await visit(resume, { body: { text } })).toMatchObject({ status: 201 });
    expect((await ws.completed(run))["result"]).toMatchObject({ resume: { text } });
  });

  it("references in a payload are not resolved, so that the holder of a link cannot read with the flow's rights", async () => {
    await ws.post("variables/create", { path: "f/t/secret", value: "do not tell", is_secret: true, description: "" });
    const run = await startRun(ws, [asks("ask"), flow.step("leak", "resume.note")]);
    const [gate] = await waiting(ws, run);
    const { resume } = await urls(ws, gate?.gate_id ?? "");
    for (const note of ["$var:f/t/secret", { deep: ["$res:f/t/db"] }]) {
      expect(await visit(resume, { body: { note } })).toMatchObject({ status: 422 });
    }
    expect((await runOf(ws, run)).gates[0]?.decision).toBeUndefined();
  });
});

describe.concurrent("decided gates", () => {
  it("every link returns who decided and when", async () => {
    const { run, resume, cancel, gate } = await startApproval({}, { approver: "kim" });
    expect(await visit(resume)).toMatchObject({ status: 201 });
    await ws.completed(run);
    const other = await urls(ws, gate);
    for (const url of [resume, cancel, other.resume, other.cancel]) {
      const late = await visit(url);
      expect([late.status, late.text]).toEqual([409, expect.stringMatching(/approved by kim, at 20\d\d-/)]);
    }
  });

  it("an expired link returns that no decision was made in time", async () => {
    const { run, resume } = await startApproval({ timeout: 2 });
    await ws.completed(run);
    expect(await visit(resume)).toMatchObject({ status: 409, text: expect.stringContaining("no decision was made in time") });
  });
});
