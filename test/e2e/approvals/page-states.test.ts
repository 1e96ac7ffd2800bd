import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, consent, runOf, sees, startRun, urls, waiting } from "../../support/approvals/approvals.ts";
import { button, expectQuiet, expectUsable, heading, pageOpener, phone, picture, signIn, visited } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";
import { flow } from "../../support/flows/flow.ts";

const { url, email } = shared();
let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});
afterAll(endBrowser);
const opened = pageOpener(() => ws);

describe("early and late visitors", () => {
  it("a late visitor reads who decided, when, and the effect", async () => {
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

  it("a visitor after the deadline reads that it has passed", async () => {
    const run = await startRun(ws, [asks("ask", { timeout: 1 }), sees()]);
    await ws.completed(run);
    const [gate] = (await runOf(ws, run)).gates;
    const late = await visited((await urls(ws, gate?.gate_id ?? "")).approvalPage);
    await heading(late.page, "Too late").waitFor();
    await late.page.getByText("No decision was made in time").waitFor();
    await expectUsable(late.page);
    expectQuiet(late);
  });

  it("a visitor of a canceled run reads that it was canceled", async () => {
    const { page, run } = await opened([asks("ask"), sees()]);
    expectStatus(await ws.post(`jobs_u/queue/cancel/${run}`, { reason: "enough" }), 200);
    await ws.completed(run);
    await page.reload();
    await heading(page, "Canceled").waitFor();
    await page.getByText("The run ended before a decision was made.").waitFor();
    await expectUsable(page);
  });

  it("an early visitor reads that there is nothing to decide yet, and can decide when the run waits", async () => {
    const begun = Promise.withResolvers<{ job: string; goOn: () => void }>();
    const door = http.createServer(({ url: requested = "" }, response) =>
      begun.resolve({ job: requested.slice(1), goOn: () => response.end("go on") }),
    );
    await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
    const held = flow.script(
      "ask",
      "export const main = async (url: string) => (await fetch(url + '/' + process.env.WM_JOB_ID)).text();",
      { url: `'http://127.0.0.1:${(door.address() as AddressInfo).port}'` },
      { summary: "At last", suspend: { required_events: 1, timeout: 600 } },
    );
    await startRun(ws, [held, sees()]);
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

describe("identified approvers", () => {
  afterEach(endBrowser);

  it("a person signs in on the page and stays at the request", async () => {
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

  it("an expired session does not prevent a decision by link", async () => {
    const { page, link } = await opened([asks("ask"), sees()], { approver: "ann" });
    await page.evaluate("document.cookie = 'token=over; path=/'");
    await page.goto(link);
    await button(page, "Approve").click();
    await page.getByText("Approved by ann on").waitFor();
  });

  it("the starter of the run sees that another person decides, and may sign in as another user", async () => {
    const { page } = await opened([asks("ask", { self_approval_disabled: true }), sees()]);
    await signIn(page);
    await page.getByText("You can't decide this request").waitFor();
    await page.getByText("You started this run, so you can't approve it.").waitFor();
    await expectUsable(page);
    await button(page, "Sign in as another user").click();
    await page.getByLabel("Password").waitFor();
  });

  it("a ConsentGate shows its message and the run's context, and accepts approval and rejection with a reason", async () => {
    const gate = consent(
      "gate",
      ["role:admin"],
      { message: "Release {{ context.version }}? <script>window.ran = true</script>" },
      { summary: "Consent" },
    );
    const run = await startRun(ws, [flow.step("made", "({ parts: [1, 2] })"), gate], { version: "4.2.0" });
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
    // The page shows the decision before the flow has ended.
    await ws.completed(run);
    expect((await runOf(ws, run)).state).toBe("failed");
    expectQuiet(visit);

    const consentStep = consent(
      "gate",
      ["role:admin"],
      { message: "Version {{ context.version }} has passed its tests.\n{{ run.triggered_by }} asks to release it." },
      { summary: "Release to production" },
    );
    const other = await startRun(ws, [flow.step("tests", "({ passed: 1204, failed: 0 })"), consentStep], { version: "4.2.1" });
    const [again] = await waiting(ws, other);
    await page.goto(`${url}/approve/${ws.id}/${again?.gate_id}`);
    await page.getByText("2 fields", { exact: true }).click();
    await picture(page, "consent");
    await button(page, "Approve").click();
    await page.getByText("Approved by admin on").waitFor();
    expect(await ws.completed(other)).toMatchObject({ success: true });
  });
});
