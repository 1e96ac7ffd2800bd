import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, runOf, sees, startRun, urls, waiting } from "../../support/approvals/approvals.ts";
import { button, expectQuiet, expectUsable, heading, pageOpener, phone, picture, releases, visited } from "../../support/approvals/page.ts";
import { endBrowser } from "../../support/browser/browser.ts";

const { url } = shared();
let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});
afterAll(endBrowser);
const opened = pageOpener(() => ws);

describe("the URL of the approval page", () => {
  it("the page may not load foreign content, run text as code, be framed or be cached", async () => {
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
    for (const rule of ["default-src 'none'", "worker-src 'none'", "frame-ancestors 'none'", "connect-src 'self'"]) {
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

  it("HEAD, OPTIONS, prefetch and scanners decide nothing", async () => {
    const run = await startRun(ws, releases());
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

  it("an invalid link shows the error", async () => {
    const { page } = await visited(`${url}/approve/${ws.id}/${crypto.randomUUID()}/1/${"0".repeat(64)}`);
    await page.getByText("This approval link is incomplete or invalid").waitFor();
    await expectUsable(page);
    await page.goto(`${url}/approve/${ws.id}/1/two/three`);
    await page.getByText("This approval link is incomplete or invalid").waitFor();
  });
});

describe("decisions on the approval page", () => {
  it("a person sees the request and the missing fields, and approves with the form's values", async () => {
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

  it("a rejection by the service is shown next to the form, and nothing is decided or lost", async () => {
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

  it("a file that is too large is rejected before it is sent", async () => {
    const { page } = await opened(releases());
    await page
      .getByLabel("plan")
      .setInputFiles({ name: "big.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(200 * 1024) });
    await page.getByText("This file is too large. The maximum is 180 KB.").waitFor();
  });

  it("a person rejects with a reason, which the run contains", async () => {
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

  it("the page has no reject button if the flow hides it", async () => {
    const { page } = await opened([asks("ask", { hide_cancel: true }), sees()]);
    await button(page, "Approve").waitFor();
    expect(await button(page, "Reject").count()).toBe(0);
  });

  it("the second approver sees the first one, and the first sees the result", async () => {
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

  it("an approver who opens a used link sees that it was used", async () => {
    const { page, link } = await opened([asks("ask", { required_events: 2 }), sees()]);
    await button(page, "Approve").click();
    await page.getByText("You have approved").waitFor();
    const again = await visited(link);
    await again.page.getByText("You have approved").waitFor();
    expect(await button(again.page, "Approve").count()).toBe(0);
  });

  it("an approver who decides second sees who decided first", async () => {
    const slow = await opened([asks("ask"), sees()], { approver: "slow" });
    const fast = await visited((await urls(ws, slow.id, { approver: "fast" })).approvalPage);
    // It does not see the new state of the job until it has decided.
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

describe("keyboard use", () => {
  it("a person fills in a form and approves with the keyboard only", async () => {
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

describe("the size of the approval page", () => {
  it("the page with a form is smaller than 200 KB and reports its first paint", async () => {
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
