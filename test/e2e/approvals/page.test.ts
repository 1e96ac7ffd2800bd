import { mkdirSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, begin, consent, runOf, sees, urls, waiting } from "../../support/approvals/approvals.ts";
import { barriers } from "../../support/browser/axe.ts";
import { endBrowser, openPage, type WatchedPage } from "../../support/browser/browser.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";

const { url, email, password } = shared();
let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});
afterAll(endBrowser);

type PageOptions = Parameters<typeof openPage>[0];
const phone = { viewport: { width: 360, height: 740 }, colorScheme: "dark" } as const;

/** Starts a flow and, once it waits, opens its page as whom the link is for. */
async function opened(value: object[], { approver, args = {}, options }: { approver?: string; args?: object; options?: PageOptions } = {}) {
  const run = await begin(ws, value, args);
  const [gate] = await waiting(ws, run);
  const id = gate?.gate_id ?? "";
  const link = (await urls(ws, id, approver ? { approver } : {})).approvalPage;
  return { run, id, link, ...(await visited(link, options)) };
}

async function visited(link: string, options?: PageOptions): Promise<WatchedPage> {
  const watched = await openPage(options);
  watched.page.setDefaultTimeout(30_000);
  await watched.page.goto(link);
  await watched.page.getByRole("heading", { level: 1 }).waitFor();
  return watched;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });

/** That nothing was refused by the page's policy, failed or was asked of somebody else. */
function expectQuiet({ complaints, requested }: WatchedPage): void {
  expect(complaints).toEqual([]);
  expect(requested.filter((address) => new URL(address).origin !== url && !address.startsWith("data:"))).toEqual([]);
}

async function expectUsable(page: Page): Promise<void> {
  expect(await barriers(page)).toEqual([]);
  const tooWide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  expect(tooWide).toBeLessThanOrEqual(0);
}

/** For docs/images, when they are to be made anew. */
async function picture(page: Page, name: string): Promise<void> {
  if (process.env["SVC_SCREENSHOTS"] !== "1") return;
  const folder = path.join(import.meta.dirname, "../../../docs/images");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `approval-${name}.png`), fullPage: true });
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await button(page, "Sign in").click();
}

const form = {
  type: "object",
  required: ["size", "region"],
  order: ["region", "size", "note"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 10, description: "How many machines." },
    note: { type: "string" },
    region: { type: "string" },
    urgent: { type: "boolean", default: true },
    plan: { type: "string", contentEncoding: "base64" },
  },
};
const releases = (suspend: object = {}) => [
  asks(
    "ask",
    { resume_form: { schema: form }, inputs: ["version"], ...suspend },
    "({ default_args: { note: 'as planned' }, enums: { region: ['north', 'south'] }, description: 'The tests have passed.' })",
    { summary: "Release to production" },
  ),
  sees(),
];

describe("the approval page's address", () => {
  it("answers with a page that may load nothing foreign, run no text as code, be framed or kept by nobody", async () => {
    const answer = await fetch(`${url}/approve/demo/1/2/${"ab".repeat(32)}?approver=ann`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex, nofollow",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
    });
    const policy = answer.headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "connect-src 'self'"]) {
      expect(policy.split("; ")).toContain(rule);
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await answer.text();
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=| style=|ab{4}/);
    for (const [, file = ""] of html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      const [compressed, plain] = await Promise.all([fetch(url + file), fetch(url + file, { headers: { "accept-encoding": "identity" } })]);
      expect([file, compressed.status, compressed.headers.get("content-encoding"), plain.headers.get("content-encoding")]).toEqual([
        file,
        200,
        "gzip",
        null,
      ]);
      expect(compressed.headers.get("cache-control")).toContain("immutable");
      expect(await compressed.text()).toBe(await plain.text());
    }
  });

  it("decides nothing for whatever looks at it: HEAD, OPTIONS, prefetch, scanners", async () => {
    const run = await begin(ws, releases());
    const [gate] = await waiting(ws, run);
    const { approvalPage } = await urls(ws, gate?.gate_id ?? "");
    const looks: { method: string; headers: Record<string, string> }[] = [
      { method: "HEAD", headers: {} },
      { method: "OPTIONS", headers: {} },
      { method: "GET", headers: { "sec-purpose": "prefetch" } },
      { method: "GET", headers: { "user-agent": "Mozilla/5.0 (compatible; SafeLinks)" } },
    ];
    for (const { method, headers } of looks) {
      const answer = await fetch(approvalPage, { method, headers });
      if (method !== "OPTIONS") expect(answer.status).toBe(200);
      if (method === "HEAD") expect([await answer.text(), answer.headers.get("content-type")]).toEqual(["", "text/html; charset=utf-8"]);
    }
    expect((await runOf(ws, run)).state).toBe("suspended");
  });

  it.each(["nothing.js", "approve.html.gz", "..%2findex.mjs", "%2e%2e%2findex.mjs", "constructor"])("has no file %s", async (name) => {
    const answer = await fetch(`${url}/assets/${name}`);
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([404, "route.unknown"]);
  });

  it("says what is wrong where a link leads nowhere", async () => {
    const { page } = await visited(`${url}/approve/${ws.id}/${crypto.randomUUID()}/1/${"0".repeat(64)}`);
    await page.getByText("This approval link is incomplete or invalid").waitFor();
    await expectUsable(page);
    await page.goto(`${url}/approve/${ws.id}/1/two/three`);
    await page.getByText("This approval link is incomplete or invalid").waitFor();
  });
});

describe("on the approval page", () => {
  it("a person sees what they decide about, is told what is missing, and approves with the form's values", async () => {
    const visit = await opened(releases(), { approver: "ann", args: { version: "4.2.0", secret: "not shown" } });
    const { page, run } = visit;
    for (const text of ["Release to production", "The tests have passed.", "4.2.0", "admin"])
      await page.getByText(text, { exact: true }).waitFor();
    expect(await page.getByText("not shown").count()).toBe(0);
    await button(page, "Approve").waitFor();
    expect(await page.locator("label").allTextContents()).toEqual(["region *", "size *", "note", "urgent", "plan"]);
    expect(await page.getByLabel("note").inputValue()).toBe("as planned");
    expect(await page.getByLabel("urgent").isChecked()).toBe(true);
    await expectUsable(page);
    await picture(page, "form");

    await page.getByLabel("size").fill("11");
    await button(page, "Approve").click();
    await page.getByText("This field is required.").waitFor();
    await page.getByText("This is too large. The maximum is 10.").waitFor();
    expect(await page.getByLabel("size").getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("SELECT");
    await expectUsable(page);
    expect((await runOf(ws, run)).state).toBe("suspended");

    await page.getByLabel("size").fill("3");
    await page.getByLabel("region").selectOption("south");
    await page.getByLabel("urgent").uncheck();
    await page.getByLabel("plan").setInputFiles({ name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("step by step") });
    await button(page, "Approve").click();
    await heading(page, "Approved").waitFor();
    await page.getByText("Approved by ann on").waitFor();
    await page.getByText("The run succeeded.").waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Approved");
    await expectUsable(page);
    await picture(page, "approved");
    const resume = { size: 3, note: "as planned", region: "south", urgent: false, plan: Buffer.from("step by step").toString("base64") };
    expect(await ws.completed(run)).toMatchObject({ result: { resume, approvers: ["ann"] } });
    expectQuiet(visit);
  });

  it("what the service alone can refuse stands beside the form, and nothing is decided or lost", async () => {
    const { page, run } = await opened(releases());
    await page.getByLabel("region").selectOption("north");
    await page.getByLabel("size").fill("2");
    await page.getByLabel("note").fill("$var:f/t/secret");
    await button(page, "Approve").click();
    const alert = page.getByRole("alert");
    await alert.getByText("must not refer to variables or resources").waitFor();
    expect(await page.evaluate("document.activeElement.role")).toBe("alert");
    expect(await page.getByLabel("size").inputValue()).toBe("2");
    await expectUsable(page);
    expect((await runOf(ws, run)).state).toBe("suspended");
    await page.getByLabel("note").fill("fine");
    await button(page, "Approve").click();
    await heading(page, "Approved").waitFor();
  });

  it("a file that is too large is refused before it is sent", async () => {
    const { page } = await opened(releases());
    await page
      .getByLabel("plan")
      .setInputFiles({ name: "big.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(200 * 1024) });
    await page.getByText("This file is too large. The maximum is 180 KB.").waitFor();
  });

  it("a person rejects with a reason, which the run keeps", async () => {
    const visit = await opened([asks("ask"), sees()], { approver: "bob", options: phone });
    const { page, run, id } = visit;
    await button(page, "Reject").click();
    await button(page, "Back").click();
    await button(page, "Reject").click();
    await page.getByLabel("Reason").fill("Not <b>today</b>");
    await expectUsable(page);
    await button(page, "Reject").click();
    await heading(page, "Rejected").waitFor();
    await page.getByText("Reason: Not <b>today</b>").waitFor();
    await page.getByText("The run failed.").waitFor();
    await expectUsable(page);
    const { gates } = await runOf(ws, run);
    expect(gates.find(({ gate_id }) => gate_id === id)?.decision).toMatchObject({ how: "rejected", by: "bob", reason: "Not <b>today</b>" });
    expectQuiet(visit);
  });

  it("there is nothing to reject with where the flow hides it", async () => {
    const { page } = await opened([asks("ask", { hide_cancel: true }), sees()]);
    await button(page, "Approve").waitFor();
    expect(await button(page, "Reject").count()).toBe(0);
  });

  it("the second person sees who was first, and the first sees how it ends", async () => {
    const value = [asks("ask", { required_events: 2 }), sees()];
    const first = await opened(value, { approver: "ann" });
    await first.page.getByText("0 of 2").waitFor();
    await button(first.page, "Approve").click();
    await first.page.getByText("You have approved").waitFor();
    await first.page.getByText("The flow continues after 1 more approval.").waitFor();
    await expectUsable(first.page);
    const second = await visited((await urls(ws, first.id, { approver: "bob" })).approvalPage);
    await second.page.getByText("1 of 2").waitFor();
    await second.page.getByRole("listitem").filter({ hasText: "ann" }).waitFor();
    await button(second.page, "Approve").click();
    await second.page.getByText("The run succeeded.").waitFor();
    await first.page.getByText("Approved by bob on").waitFor();
    expectQuiet(first);
    expectQuiet(second);
  });

  it("who has approved by a link and opens it again is told so", async () => {
    const { page, link } = await opened([asks("ask", { required_events: 2 }), sees()]);
    await button(page, "Approve").click();
    await page.getByText("You have approved").waitFor();
    const again = await visited(link);
    await again.page.getByText("You have approved").waitFor();
    expect(await button(again.page, "Approve").count()).toBe(0);
  });

  it("who decides a moment after somebody else is told who was first", async () => {
    const slow = await opened([asks("ask"), sees()], { approver: "slow" });
    const fast = await visited((await urls(ws, slow.id, { approver: "fast" })).approvalPage);
    // Its own looks are held back until it has decided.
    const held = Promise.withResolvers<void>();
    await slow.page.route("**/approval_info/**", async (route) => {
      await held.promise;
      await route.continue();
    });
    await button(fast.page, "Approve").click();
    await heading(fast.page, "Approved").waitFor();
    await button(slow.page, "Reject").click();
    const answer = slow.page.waitForResponse("**/resume_suspended/**");
    await button(slow.page, "Reject").click();
    expect((await answer).status()).toBe(409);
    held.resolve();
    await slow.page.getByText("Approved by fast on").waitFor();
  });
});

describe("who comes late or early", () => {
  it("reads who decided, when, and what came of it", async () => {
    const { page, link } = await opened([asks("ask"), sees()], { approver: "ann" });
    await button(page, "Approve").click();
    await heading(page, "Approved").waitFor();
    const late = await visited(link, phone);
    await heading(late.page, "Approved").waitFor();
    await late.page.getByText("Approved by ann on").waitFor();
    await late.page.getByText("The run succeeded.").waitFor();
    expect(await late.page.getByRole("button").count()).toBe(0);
    await expectUsable(late.page);
    expectQuiet(late);
  });

  it("reads that the time was over", async () => {
    const run = await begin(ws, [asks("ask", { timeout: 1 }), sees()]);
    await ws.completed(run);
    const [gate] = (await runOf(ws, run)).gates;
    const late = await visited((await urls(ws, gate?.gate_id ?? "")).approvalPage);
    await heading(late.page, "Too late").waitFor();
    await late.page.getByText("No decision was made in time").waitFor();
    await expectUsable(late.page);
    expectQuiet(late);
  });

  it("reads that the run was canceled", async () => {
    const { page, run } = await opened([asks("ask"), sees()]);
    expectStatus(await ws.post(`jobs_u/queue/cancel/${run}`, { reason: "enough" }), 200);
    await ws.completed(run);
    await page.reload();
    await heading(page, "Canceled").waitFor();
    await page.getByText("The run ended before a decision was made.").waitFor();
    await expectUsable(page);
  });

  it("reads that there is nothing to decide yet, and is asked once the run comes to it", async () => {
    const begun = Promise.withResolvers<{ job: string; goOn: () => void }>();
    const door = http.createServer(({ url: asked = "" }, response) =>
      begun.resolve({ job: asked.slice(1), goOn: () => response.end("go on") }),
    );
    await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
    const held = flow.script(
      "ask",
      "export const main = async (url: string) => (await fetch(url + '/' + process.env.WM_JOB_ID)).text();",
      { url: `'http://127.0.0.1:${(door.address() as AddressInfo).port}'` },
      { summary: "At last", suspend: { required_events: 1, timeout: 600 } },
    );
    await begin(ws, [held, sees()]);
    const { job, goOn } = await begun.promise;
    const early = await visited((await urls(ws, job)).approvalPage);
    await heading(early.page, "Nothing to decide yet").waitFor();
    await expectUsable(early.page);
    goOn();
    await heading(early.page, "At last").waitFor();
    await button(early.page, "Approve").click();
    await heading(early.page, "Approved").waitFor();
    door.close();
    expectQuiet(early);
  });
});

describe("where the flow wants to know who decides", () => {
  afterEach(endBrowser);

  it("a person signs in on the page and goes on with what they came for", async () => {
    const visit = await opened([asks("ask", { user_auth_required: true }, "({ description: 'For members.' })"), sees()], {
      options: { colorScheme: "dark" },
    });
    const { page, run, complaints } = visit;
    await page.getByText("Sign in to decide").waitFor();
    expect(await page.getByText("For members.").count()).toBe(0);
    expect(await button(page, "Approve").count()).toBe(0);
    await page.getByRole("link", { name: "Sign in with Acme" }).waitFor();
    await expectUsable(page);
    await picture(page, "sign-in");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill("wrong");
    await button(page, "Sign in").click();
    await page.getByRole("alert").waitFor();
    // The browser notes an answer of 401 by itself.
    expect(complaints.splice(0).filter((text) => !text.includes("401"))).toEqual([]);
    await signIn(page);
    await page.getByText("For members.").waitFor();
    await page.getByText("You are signed in as admin.").waitFor();
    await expectUsable(page);
    await button(page, "Approve").click();
    await page.getByText("Approved by admin on").waitFor();
    expect(await ws.completed(run)).toMatchObject({ result: { approvers: ["admin"] } });
    expectQuiet(visit);
  });

  it("a session that is over is in nobody's way where a link is enough", async () => {
    const { page, link } = await opened([asks("ask"), sees()], { approver: "ann" });
    await page.evaluate("document.cookie = 'token=over; path=/'");
    await page.goto(link);
    await button(page, "Approve").click();
    await page.getByText("Approved by ann on").waitFor();
  });

  it("who started the run reads that somebody else decides, and may sign in as somebody else", async () => {
    const { page } = await opened([asks("ask", { self_approval_disabled: true }), sees()]);
    await signIn(page);
    await page.getByText("You can't decide this request").waitFor();
    await page.getByText("You started this run, so you can't approve it.").waitFor();
    await expectUsable(page);
    await button(page, "Sign in as another user").click();
    await page.getByLabel("Password").waitFor();
  });

  it("a ConsentGate shows its message and the run's context, and takes approval and rejection with a reason", async () => {
    const gate = consent(
      "gate",
      ["role:admin"],
      { message: "Release {{ context.version }}? <script>window.ran = true</script>" },
      { summary: "Consent" },
    );
    const run = await begin(ws, [flow.step("made", "({ parts: [1, 2] })"), gate], { version: "4.2.0" });
    const [open] = await waiting(ws, run);
    const link = `${url}/approve/${ws.id}/${open?.gate_id}`;
    const visit = await visited(link);
    const { page, complaints } = visit;
    await page.getByText("Sign in as an approver to see this request.").waitFor();
    await expectUsable(page);
    complaints.splice(0);
    await signIn(page);
    await page.getByText("Release 4.2.0? <script>window.ran = true</script>").waitFor();
    await page.getByText("2 fields", { exact: true }).click();
    await page.getByText("made:").click();
    await page.getByText("parts:").waitFor();
    await expectUsable(page);
    expect(await page.evaluate("'ran' in window")).toBe(false);
    await button(page, "Reject").click();
    await page.getByLabel("Reason").fill("too early");
    await button(page, "Reject").click();
    await heading(page, "Rejected").waitFor();
    expect((await runOf(ws, run)).state).toBe("failed");
    expectQuiet(visit);

    const asked = consent(
      "gate",
      ["role:admin"],
      { message: "Version {{ context.version }} has passed its tests.\n{{ run.triggered_by }} asks to release it." },
      { summary: "Release to production" },
    );
    const other = await begin(ws, [flow.step("tests", "({ passed: 1204, failed: 0 })"), asked], { version: "4.2.1" });
    const [again] = await waiting(ws, other);
    await page.goto(`${url}/approve/${ws.id}/${again?.gate_id}`);
    await page.getByText("2 fields", { exact: true }).click();
    await picture(page, "consent");
    await button(page, "Approve").click();
    await page.getByText("Approved by admin on").waitFor();
    expect(await ws.completed(other)).toMatchObject({ success: true });
  });
});

describe("what a step shows", () => {
  const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const markers = [
    { lat: 48.8566, lon: 2.3522, title: "Paris" },
    { lat: 52.52, lon: 13.405, title: "Berlin" },
  ];

  it.each([
    ["wide and light", { colorScheme: "light" }],
    ["narrow and dark", phone],
  ] as const)(
    "is text, Markdown, HTML, images, tables, a map and JSON on one page, %s, of which nothing asks anybody for anything",
    async (name, options) => {
      const description = {
        render_all: [
          "First a text.",
          { markdown: "## Changes\n\n- **one**\n- [two](https://example.com/two)\n\n| part | size |\n|---|---|\n| core | 3 |" },
          { html: "<p>Some <em>HTML</em></p><img src='https://example.com/track.png' alt='elsewhere'>" },
          { image: `data:image/png;base64,${PNG}` },
          { svg: "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9' fill='teal'/></svg>" },
          { image: "https://example.com/far.png" },
          { table: [{ item: "bolts", count: 7 }] },
          {
            "table-row": [
              ["item", "count"],
              ["nuts", 8],
            ],
          },
          { map: { lat: 50, lon: 8, markers } },
          { json: { deep: { er: true } } },
          { unknown: "kind" },
        ],
      };
      const visit = await opened([asks("ask", {}, `(${JSON.stringify({ description })})`, { summary: "Look at this" }), sees()], {
        options,
      });
      const { page } = visit;
      await page.getByRole("heading", { name: "Changes" }).waitFor();
      const map = page.getByRole("img", { name: "Map of Paris, Berlin" });
      await map.waitFor();
      expect(await map.locator("circle").count()).toBe(2);
      for (const text of [
        "First a text.",
        "bolts",
        "nuts",
        "https://example.com/far.png",
        "Berlin: 52.52000° N, 13.40500° E",
        "unknown:",
      ]) {
        await page.getByText(text).first().waitFor();
      }
      expect(await page.getByRole("link", { name: "two" }).getAttribute("rel")).toBe("noopener noreferrer nofollow");
      const drawn = await page
        .locator("img.picture")
        .evaluateAll((images) => images.map((image) => (image as unknown as { naturalWidth: number }).naturalWidth));
      expect(drawn).toEqual([1, 9]);
      await expectUsable(page);
      await picture(page, name.startsWith("wide") ? "everything" : "phone-dark");
      expectQuiet(visit);
    },
  );

  it("never runs, wherever code is put", async () => {
    const bad =
      "<img src=x onerror=\"window.ran='%'\"><script>window.ran='%'</script><svg onload=\"window.ran='%'\"></svg><a href=\"javascript:window.ran='%'\">go</a>";
    const at = (place: string) => bad.replaceAll("%", place);
    const description = {
      render_all: [
        at("text"),
        { markdown: `${at("markdown")}\n\n[go](javascript:window.ran=1) <style>body{display:none}</style>` },
        {
          html: `${at("html")}<iframe srcdoc="<script>parent.ran=1</script>"></iframe><form action="/x"><input autofocus onfocus="window.ran=1"></form><math><mi><script>window.ran=1</script></mi></math>`,
        },
        { svg: "<svg xmlns='http://www.w3.org/2000/svg'><script>window.parent.ran=1</script></svg>" },
        { table: [{ [at("column")]: at("cell") }] },
        { map: { lat: 0, lon: 0, markers: [{ lat: 0, lon: 0, title: at("marker") }] } },
        { json: { [at("key")]: at("value") } },
      ],
    };
    const schema = {
      type: "object",
      properties: { [at("field")]: { type: "string", title: at("title"), description: at("description") } },
    };
    const said = { description, default_args: { [at("field")]: at("default") } };
    await saveFlow(
      ws,
      "f/t/hostile",
      [asks("ask", { inputs: ["x"], resume_form: { schema } }, `(${JSON.stringify(said)})`, { summary: at("summary") }), sees()],
      {
        summary: at("flow"),
      },
    );
    const run = expectStatus(await ws.post("jobs/run/f/f/t/hostile", { x: at("input") }), 201).text;
    const [gate] = await waiting(ws, run);
    const { approvalPage } = await urls(ws, gate?.gate_id ?? "", { approver: at("approver") });
    const visit = await visited(approvalPage);
    const { page } = visit;
    await page.getByRole("textbox").waitFor();
    const links = await page.getByRole("link").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    for (const link of links) expect(link).not.toMatch(/^javascript:/i);
    for (const words of await page.getByText("go", { exact: true }).all()) await words.click({ force: true, noWaitAfter: true });
    expect(await page.locator("script:not([src]), iframe, form[action], body style, [onerror], [onload]").count()).toBe(0);
    await button(page, "Approve").click();
    await heading(page, "Approved").waitFor();
    expect(await page.evaluate("'ran' in window")).toBe(false);
    expectQuiet(visit);
  });
});

describe("without a mouse", () => {
  it("a form is filled in and approved by keyboard alone", async () => {
    const visit = await opened(releases(), { approver: "ann" });
    const { page, run } = visit;
    await page.getByLabel("region").waitFor();
    const tabTo = async (name: string) => {
      for (let steps = 0; steps < 30; steps++) {
        await page.keyboard.press("Tab");
        const reached = await page.evaluate<string>("(document.activeElement.labels?.[0] ?? document.activeElement).textContent");
        if (reached.startsWith(name)) return;
      }
      throw new Error(`${name} is not reached by Tab`);
    };
    await tabTo("region");
    await page.keyboard.type("south");
    await tabTo("size");
    await page.keyboard.type("4");
    await tabTo("urgent");
    await page.keyboard.press("Space");
    await tabTo("Approve");
    await page.keyboard.press("Enter");
    await heading(page, "Approved").waitFor();
    expect(await ws.completed(run)).toMatchObject({ result: { resume: { region: "south", size: 4, urgent: false } } });
    expectQuiet(visit);
  });
});

describe("the approval page as people meet it", () => {
  it("takes less than 200 KB with a form, and says when it first paints", async () => {
    const { page, requested } = await opened(releases());
    await button(page, "Approve").waitFor();
    const paintMs = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime");
    const files = requested.filter((address) => !address.includes("/api/"));
    const sizes = await Promise.all(files.map(async (file) => Number((await fetch(file)).headers.get("content-length"))));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`approval page: first paint after ${Math.round(paintMs)} ms, ${Math.round(bytes / 1000)} KB with a form`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(200_000);
  });
});
