import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, heading, signIn } from "../../support/approvals/page.ts";
import { barriers } from "../../support/browser/axe.ts";
import { endBrowser, type WatchedPage } from "../../support/browser/browser.ts";
import { openConsole, settle, show } from "../../support/console/console.ts";

let ws: Workspace;
let page: Page;
beforeAll(async () => {
  ws = await newWorkspace();
  const content = "export async function main(name: string) { return { greeting: 'hello ' + name }; }";
  const schema = { type: "object", properties: { name: { type: "string" } } };
  await ws.saveScript({ path: "f/t/greet", content, language: "bun", schema });
  ({ page } = await openConsole(`/w/${ws.id}`));
  page.setDefaultTimeout(60_000);
});
afterAll(endBrowser);

const answer =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({ status, body, headers: { "content-type": "text/plain", ...headers } });
const refuse = (status: number, code: string, sentence: string) => answer(status, sentence, { "x-svc-error": code });

/** Failures of a request, with the sentence that the page shows. */
const failures: [name: string, fail: (route: Route) => Promise<void>, sentence: string][] = [
  ["no connection", (route) => route.abort("internetdisconnected"), "The service did not respond. Check your connection and try again."],
  ["403", refuse(403, "auth.forbidden", "This needs the role admin."), "This needs the role admin."],
  ["404", refuse(404, "job.notFound", "There is no such run."), "There is no such run."],
  ["429 of API Gateway", answer(429, '{"message":"Too Many Requests"}'), "The service receives too many requests."],
  ["500", answer(500, '{"message":"Internal server error"}'), "The service can't answer at the moment."],
  ["503 of CloudFront", answer(503, "<html><h1>503 ERROR</h1></html>"), "The service can't answer at the moment."],
];

describe("a failure of the service", () => {
  it("is shown in words, and Retry loads the page", async () => {
    for (const [, fail, sentence] of failures) {
      await page.route("**/jobs/list?*", fail);
      await show(page, `/w/${ws.id}/runs?status=failure`);
      const alert = page.getByRole("alert").filter({ hasText: sentence }).first();
      await alert.waitFor();
      await page.unroute("**/jobs/list?*");
      await alert.getByRole("button", { name: "Retry" }).click();
      await page.getByRole("heading", { name: "No run matches" }).waitFor();
    }
  });

  it("keeps what was typed, also at a refused value and while the page asks for a new sign-in", { timeout: 300_000 }, async () => {
    await show(page, `/w/${ws.id}/scripts/f/t/greet`);
    const name = page.getByLabel("name");
    await name.fill("Ann");
    for (const [, fail, sentence] of failures) {
      await page.route("**/jobs/run/p/**", fail);
      await button(page, "Run").click();
      await page.getByText(sentence).first().waitFor();
      expect(await name.inputValue()).toBe("Ann");
      await page.unroute("**/jobs/run/p/**");
    }
    const issues = JSON.stringify([{ at: ["name"], reason: "must be the name of a colleague" }]);
    await page.route("**/jobs/run/p/**", answer(422, "A value is refused.", { "x-svc-error": "request.invalid", "x-svc-issues": issues }));
    await button(page, "Run").click();
    await page.getByText("This value must be the name of a colleague.").first().waitFor();
    expect(await name.getAttribute("aria-invalid")).toBe("true");
    expect(await name.getAttribute("aria-describedby")).toMatch(/error/);
    await page.unroute("**/jobs/run/p/**");
    await page.route("**/jobs/run/p/**", refuse(401, "auth.required", "Sign in."));
    await button(page, "Run").click();
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.unroute("**/jobs/run/p/**");
    await signIn(page);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("Ann");
    await button(page, "Run").click();
    await page.waitForURL(/\/runs\//);
    await page.getByText("Succeeded", { exact: true }).first().waitFor();
  });
});

describe("without the usual pace", () => {
  it("the page says that a request takes long", async () => {
    const { page: slow } = await openConsole(`/w/${ws.id}`);
    await slow.clock.install();
    await slow.route("**/jobs/list?*", () => {});
    await show(slow, `/w/${ws.id}/runs?status=failure`);
    const status = slow.getByRole("main").getByRole("status", { name: "Loading…" });
    await slow.clock.runFor(1_000);
    await status.waitFor();
    await slow.clock.runFor(10_000);
    await status.getByText("The service takes longer than usual to respond.").waitFor();
    expect(await barriers(slow)).toEqual([]);
    await slow.unroute("**/jobs/list?*");
  });

  it("the log of a run is read repeatedly behind a proxy that holds events back", async () => {
    const content =
      'export async function main() { console.log("the first line"); await new Promise((resolve) => setTimeout(resolve, 60_000)); }';
    await ws.saveScript({ path: "f/t/slow", content, language: "bun" });
    const run = await ws.run("f/t/slow");
    const { page: buffered } = await openConsole(`/w/${ws.id}`);
    await buffered.clock.install();
    await buffered.route("**/getupdate_sse/**", () => {});
    const read = buffered.waitForResponse(/\/getupdate\//);
    await show(buffered, `/w/${ws.id}/runs/${run}`);
    await buffered.getByText("Running", { exact: true }).first().waitFor();
    await buffered.clock.runFor(31_000);
    expect((await read).status()).toBe(200);
    const line = buffered.getByRole("log").getByText("the first line");
    while ((await line.count()) === 0) await buffered.clock.runFor(5_000);
    await ws.post(`jobs_u/queue/force_cancel/${run}`, {});
  });
});

describe("a deployment under an open page", () => {
  it("is loaded by the next navigation", async () => {
    const { page: old } = await openConsole(`/w/${ws.id}`);
    await old.clock.install();
    await show(old, `/w/${ws.id}`);
    await old.route("**/login", async (route) => {
      const reply = await route.fetch();
      const newer = (await reply.text()).replace(/(<script[^>]*src=")[^"]*/, "$1/assets/console-newer.js");
      await route.fulfill({ response: reply, body: newer });
    });
    await old.clock.fastForward(6 * 60_000);
    const links = old.getByRole("navigation", { name: "Workspace" });
    const [, checked] = await Promise.all([links.getByRole("link", { name: "Runs" }).click(), old.waitForResponse("**/login")]);
    await checked.finished();
    await heading(old, "Runs").waitFor();
    let documents = 0;
    old.on("request", (request) => {
      if (request.resourceType() === "document") documents += 1;
    });
    for (const name of ["Scripts and flows", "Runs", "Approvals"]) {
      await links.getByRole("link", { name }).click();
      await heading(old, name).waitFor();
      // The answer may arrive during a navigation.
      if (documents > 0) break;
    }
    expect(documents).toBe(1);
  });

  it("leaves a page whose code is missing: it is loaded once more, then says what to do", async () => {
    const watched = await openConsole(`/w/${ws.id}`);
    const broken = watched.page;
    const missing = await namesOfChunks(watched, `/w/${ws.id}/approvals`);
    await show(broken, `/w/${ws.id}`);
    let documents = 0;
    broken.on("request", (request) => {
      if (request.resourceType() === "document") documents += 1;
    });
    const isMissing = (address: URL) => missing.includes(address.pathname);
    await broken.route(isMissing, answer(404, "There is no such file."));
    await broken
      .getByRole("navigation", { name: "Workspace" })
      .getByRole("link", { name: /^Approvals/ })
      .click();
    await heading(broken, "This page can't be displayed").waitFor();
    await button(broken, "Reload").waitFor();
    expect(documents).toBe(1);
    expect(await barriers(broken)).toEqual([]);
    await broken.unroute(isMissing);
    await button(broken, "Reload").click();
    await heading(broken, "Approvals").waitFor();
  });
});

/** Returns the scripts that a page loads in addition to those of Home, which is open. */
async function namesOfChunks(watched: WatchedPage, address: string): Promise<string[]> {
  const scripts = async () => {
    await settle(watched);
    return watched.page.evaluate<string[]>(
      `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => path.endsWith(".js"))`,
    );
  };
  const present = new Set(await scripts());
  await show(watched.page, address);
  return (await scripts()).filter((path) => !present.has(path));
}
