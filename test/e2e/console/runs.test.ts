import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, expectQuiet, expectUsable, heading, signIn } from "../../support/approvals/page.ts";
import { barriers } from "../../support/browser/axe.ts";
import { endBrowser, hidePage, openPage } from "../../support/browser/browser.ts";
import { consolePicture, expectAccessible, openConsole, show } from "../../support/console/console.ts";

let ws: Workspace;
let run: string;

beforeAll(async () => {
  ws = await newWorkspace();
  const content = `export async function main(name: string) {
  console.log("greeting \\u001b[31m" + name + "\\u001b[0m");
  if (name === "nobody") throw new Error("there is nobody to greet");
  return { greeting: "hello " + name };
}`;
  await ws.saveScript({ path: "f/t/greet", summary: "Greets a person", content, language: "bun" });
  await ws.completed(await ws.run("f/t/greet", { name: "Ann" }));
  run = await ws.run("f/t/greet", { name: "nobody" });
  await ws.completed(run);
});
afterAll(endBrowser);

describe("the sign-in page", () => {
  it("signs a person in with a password, and returns to the page that was asked for", async () => {
    const watched = await openPage();
    const { page } = watched;
    await page.goto(`${shared().url}/w/${ws.id}/runs?status=failure`);
    await heading(page, "Sign in").waitFor();
    await signIn(page);
    await heading(page, "Runs").waitFor();
    expect(new URL(page.url()).search).toBe("?status=failure");
    expect(await page.title()).toBe(`Runs · ${ws.id} · svc`);
    // The first request was refused, because the browser had no session.
    expect(watched.complaints.filter((complaint) => !complaint.includes("401"))).toEqual([]);
    await endBrowser();
  });

  it("signs a person in with a token, and out", async () => {
    const { page } = await openPage();
    await page.goto(shared().url);
    await page.getByLabel("Token", { exact: true }).fill("no-token");
    await button(page, "Sign in with a token").click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Token", { exact: true }).fill(api().token);
    await button(page, "Sign in with a token").click();
    await heading(page, "Home").waitFor();
    await page.getByRole("banner").getByRole("button").last().click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(page, "Sign in").waitFor();
    expect((await page.context().cookies()).filter(({ name }) => name === "token")).toEqual([]);
    await endBrowser();
  });

  it("does not let another site choose the session of its visitor", async () => {
    const answer = await api().call("POST", "auth/session", {
      headers: { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("the pages of runs", () => {
  it("list the runs that match the filters of the address, and show why one failed", async () => {
    const watched = await openConsole(`/w/${ws.id}/runs`);
    const { page } = watched;
    await page.getByRole("link", { name: "f/t/greet" }).nth(1).waitFor();
    expect(await page.getByRole("table", { name: "Runs, newest first" }).getByRole("row").count()).toBe(3);
    await consolePicture(page, "runs");
    await button(page, "More filters").click();
    await page.getByLabel("Label", { exact: true }).waitFor();
    await expectAccessible(watched);
    await page.getByLabel("Status").selectOption("Failed");
    await page.waitForURL(/status=failure/);
    await page.getByRole("row").nth(2).waitFor({ state: "detached" });
    await page.setViewportSize({ width: 360, height: 740 });
    await button(page, "Filters (1)").click();
    await expectUsable(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("link", { name: "f/t/greet" }).click();
    await heading(page, "f/t/greet").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/w/${ws.id}/runs/${run}`);
    await page.getByText("Error: there is nobody to greet").first().waitFor();
    await page.getByRole("log").getByText("nobody", { exact: true }).waitFor();
    await consolePicture(page, "run");
    await expectAccessible(watched);
    await page.getByRole("tab", { name: "Arguments" }).click();
    await page.getByRole("tabpanel").getByText("nobody").waitFor();
    await page.goBack();
    await page.goBack();
  });

  it("are read again while they are visible, and not in a hidden tab", async () => {
    const watched = await openConsole(`/w/${ws.id}/runs`);
    const { page } = watched;
    await page.clock.install();
    await show(page, `/w/${ws.id}/runs`);
    await page.getByRole("link", { name: "f/t/greet" }).first().waitFor();
    await Promise.all([page.waitForRequest(/jobs\/list\?/), page.clock.runFor("01:00")]);
    await page.waitForLoadState("networkidle");
    await hidePage(page);
    const before = watched.requested.length;
    await page.clock.runFor("10:00");
    await page.waitForLoadState("networkidle");
    expect(watched.requested.slice(before)).toEqual([]);
  });

  it("run a script again, and end a run that continues", async () => {
    const content = "export async function main() { await new Promise((resolve) => setTimeout(resolve, 60_000)); }";
    await ws.saveScript({ path: "f/t/slow", content, language: "bun" });
    const slow = await ws.run("f/t/slow");
    const watched = await openConsole(`/w/${ws.id}/runs/${slow}`);
    const { page } = watched;
    await button(page, "Cancel").click();
    await page.getByText("Canceled", { exact: true }).first().waitFor();
    await button(page, "Run again").click();
    await page.waitForURL((address) => !address.pathname.endsWith(slow));
    const again = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    await button(page, "Force cancel").click();
    await page.getByRole("dialog").getByRole("button", { name: "Force cancel" }).click();
    await page.getByText("Canceled", { exact: true }).first().waitFor();
    expect(expectStatus(await ws.get(`jobs_u/get/${again}`), 200).json).toMatchObject({ canceled: true });
    expectQuiet(watched);
  });

  it("show the steps of a flow, and share, compare and restart its run", async () => {
    const step = (id: string, content: string) => ({ id, value: { type: "rawscript", language: "bun", content, input_transforms: {} } });
    const loop = { type: "forloopflow", iterator: { type: "javascript", expr: "[1, 2]" }, skip_failures: true, parallel: false };
    const modules = [
      step("load", "export async function main() { return [{ city: 'Bern', total: 1 }, { city: '=1+1', total: 2 }]; }"),
      { id: "each", value: { ...loop, modules: [step("ship", "export async function main() { throw new Error('no stock'); }")] } },
    ];
    expectStatus(await ws.post("flows/create", { path: "f/t/orders", summary: "", value: { modules } }), 201);
    const flow = expectStatus(await ws.post("jobs/run/f/f/t/orders", {}), 201).text;
    await ws.completed(flow);
    const other = expectStatus(await ws.post("jobs/run/f/f/t/orders", { a: 1 }), 201).text;
    await ws.completed(other);

    const watched = await openConsole(`/w/${ws.id}/runs/${flow}`);
    const { page } = watched;
    await button(page, "Inside of each").click();
    await page.getByText("Error: no stock").first().waitFor();
    await button(page, "First failure").click();
    await page.getByRole("region", { name: "Step each/0" }).waitFor();
    await page.getByRole("navigation", { name: "Steps of the flow" }).getByRole("button", { name: /^load/ }).click();
    const [saved] = await Promise.all([page.waitForEvent("download"), button(page, "Download CSV").click()]);
    expect(await readFile(await saved.path(), "utf8")).toBe("city,total\r\nBern,1\r\n'=1+1,2");
    await expectAccessible(watched);
    await page.getByText("Graph", { exact: true }).click();
    const graph = page.getByRole("region", { name: "Graph" });
    await graph.getByRole("button", { name: /^each.*2 failed inside/ }).waitFor();
    await button(page, "Show the inside of each in the list").click();
    await page
      .getByRole("navigation", { name: "Steps of the flow" })
      .getByRole("button", { name: /^Iteration 2/ })
      .click();
    await page.getByText("Graph", { exact: true }).click();
    await graph.getByText("Iteration 2").waitFor();
    await graph.getByRole("button", { name: /^ship.*Failed/ }).waitFor();
    await expectAccessible(watched);
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.getByRole("table", { name: "Times of the steps" }).getByRole("row", { name: /^each/ }).waitFor();
    await expectAccessible(watched);

    await button(page, "Share").click();
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
    expect(await barriers(page)).toEqual([]);
    const visitor = await openPage({ reducedMotion: "reduce" });
    await visitor.page.context().clearCookies();
    await visitor.page.goto(link);
    await heading(visitor.page, "f/t/orders").waitFor();
    await expectAccessible(visitor);
    await endBrowser();

    const again = await openConsole(`/w/${ws.id}/runs/${flow}/compare/${other}`);
    await heading(again.page, "Compare runs").waitFor();
    await again.page.getByText('"a": 1').waitFor();
    await expectAccessible(again);
    await show(again.page, `/w/${ws.id}/runs/${flow}?step=each/1/ship`);
    await button(again.page, "Restart from here…").click();
    expect(await again.page.getByRole("dialog").getByLabel("Iteration").inputValue()).toBe("2");
    await button(again.page, "Restart").click();
    await again.page.waitForURL((address) => !address.pathname.endsWith(flow));
    await heading(again.page, "f/t/orders").waitFor();
  });

  it("say that a run does not exist, also if the caller may not know it", async () => {
    const { page } = await openConsole(`/w/${ws.id}/runs/01990000-0000-7000-8000-000000000000`);
    await heading(page, "This page can't be displayed").waitFor();
    await page.getByText("Error code: job.notFound").waitFor();
    await show(page, `/w/${ws.id}/nothing`);
    await heading(page, "Page not found").waitFor();
  });

  it("open by keyboard alone", async () => {
    const watched = await openConsole(`/w/${ws.id}`);
    const { page } = watched;
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Command palette" }).waitFor();
    await page.keyboard.type("Runs");
    await page.keyboard.press("Enter");
    await heading(page, "Runs").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await heading(page, "Home").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Command palette" }).waitFor();
    await page.keyboard.type("create a token");
    await page.getByRole("option", { name: "Create a token" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "New token" }).getByLabel("Label").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await expectAccessible(watched);
  });
});
