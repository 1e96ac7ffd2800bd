import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, startRun, waiting } from "../../support/approvals/approvals.ts";
import { heading } from "../../support/approvals/page.ts";
import { endBrowser, openPage } from "../../support/browser/browser.ts";

let ws: Workspace;
let flow: string;
beforeAll(async () => {
  ws = await newWorkspace();
  const content = "export async function main(name: string) { return { greeting: 'hello ' + name }; }";
  const properties = { name: { type: "string" } };
  await ws.saveScript({ path: "f/t/greet", content, language: "bun", schema: { type: "object", properties, required: ["name"] } });
  const step = (id: string) => ({ id, value: { type: "identity" } });
  expectStatus(await ws.post("flows/create", { path: "f/t/orders", summary: "", value: { modules: [step("load"), step("ship")] } }), 201);
  flow = expectStatus(await ws.post("jobs/run/f/f/t/orders", {}), 201).text;
  const asked = await startRun(ws, [asks("ask", {}, undefined, { summary: "Pay the bill" })]);
  await Promise.all([ws.completed(flow), waiting(ws, asked)]);
});
afterAll(endBrowser);

interface Focus {
  role: string;
  name: string;
  /** The reason for which a person cannot see it. */
  hidden: string;
}

/** A script that returns the focused element. Fields show the focus by the colour of their borders, and a radio button by its label. */
const FOCUS = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return { role: "none", name: "", hidden: "nothing has the focus" };
  const { tagName, labels } = element;
  const named = element.cloneNode(true);
  for (const part of named.querySelectorAll("[aria-hidden]")) part.remove();
  const name = element.getAttribute("aria-label") ?? (labels?.length ? labels[0].textContent : named.textContent);
  const role = element.getAttribute("role") ?? tagName.toLowerCase();
  const isReplaced = element.getBoundingClientRect().width === 0 && element.nextElementSibling !== null;
  const shown = isReplaced ? element.nextElementSibling : element;
  const { width, height, top, bottom } = shown.getBoundingClientRect();
  const isField = !isReplaced && /^(INPUT|SELECT|TEXTAREA)$/.test(tagName);
  const hasMark = isField || getComputedStyle(shown).outlineStyle !== "none";
  const hidden = !element.matches(":focus-visible")
    ? "the browser shows no focus"
    : !hasMark ? "no mark" : width * height === 0 ? "no area" : bottom < 0 || top > innerHeight ? "outside of the window" : "";
  return { role, name: name.trim(), hidden };
})()`;
const focusOf = (page: Page) => page.evaluate<Focus>(FOCUS);

/** Presses a key until an element has the focus. After each press, the focused element must be visible. */
async function moveTo(page: Page, role: string, name: string | RegExp, key = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    const focus = await focusOf(page);
    passed.push(`${focus.role} ${focus.name}`);
    expect(focus, passed.join(", ")).toMatchObject({ hidden: "" });
    if (focus.role === role && (typeof name === "string" ? focus.name === name : name.test(focus.name))) return;
  }
  throw new Error(`${key} does not reach ${role} ${name}: ${passed.join(", ")}`);
}

/** Waits until the heading of a page has the focus. */
async function arriveAt(page: Page, name: string, level = 1): Promise<void> {
  await page.locator(`h${level}:focus`, { hasText: name }).waitFor();
}

async function openByPalette(page: Page, text: string, option: string | RegExp): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Command palette" }).waitFor();
  await page.locator(".palette-input:focus").waitFor();
  await page.keyboard.type(text);
  await page.locator("[role=option][data-combobox-selected]").filter({ hasText: option }).waitFor();
  await page.keyboard.press("Enter");
}

it("a person signs in, runs a script, reads runs, approves and signs out by keyboard alone", { timeout: 300_000 }, async () => {
  const { page } = await openPage({ reducedMotion: "reduce", viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  const { email, password } = shared();
  await page.goto(`${shared().url}/w/${ws.id}`);
  await arriveAt(page, "Sign in");
  await moveTo(page, "input", "Email");
  await page.keyboard.type(email);
  await moveTo(page, "input", "Password");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await arriveAt(page, "Home");

  await openByPalette(page, "greet", /f\/t\/greet/);
  await arriveAt(page, "f/t/greet");
  await page.getByLabel("name").waitFor();
  await moveTo(page, "input", /^name/);
  await page.keyboard.type("Ann");
  await moveTo(page, "button", "Run");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\//);
  await arriveAt(page, "f/t/greet");
  await page.getByText("Succeeded", { exact: true }).first().waitFor();
  await moveTo(page, "button", "Share");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Share" }).waitFor();
  await page.locator("[role=dialog] :focus").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator("button:focus", { hasText: "Share" }).waitFor();
  await moveTo(page, "tab", "Logs");
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tabpanel").getByText("hello Ann").waitFor();
  expect(await focusOf(page)).toEqual({ role: "tab", name: "Result", hidden: "" });

  await openByPalette(page, flow, /^Open run/);
  await arriveAt(page, "f/t/orders");
  await page.getByRole("button", { name: /^load/ }).waitFor();
  await moveTo(page, "button", /^load/);
  await page.keyboard.press("ArrowDown");
  expect(await focusOf(page)).toMatchObject({ role: "button", name: expect.stringMatching(/^ship/), hidden: "" });
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Step ship" }).waitFor();
  expect(await focusOf(page)).toMatchObject({ name: expect.stringMatching(/^ship/) });

  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await arriveAt(page, "Runs");
  await page.getByRole("link", { name: "f/t/greet" }).waitFor();
  await moveTo(page, "select", "Status");
  await page.keyboard.press("ArrowDown");
  await page.waitForURL(/status=success/);
  expect(await focusOf(page)).toEqual({ role: "select", name: "Status", hidden: "" });

  await openByPalette(page, "Approvals", "Approvals");
  await arriveAt(page, "Approvals");
  await page.getByRole("link", { name: "Pay the bill" }).waitFor();
  await moveTo(page, "a", "Pay the bill");
  await page.keyboard.press("Enter");
  await arriveAt(page, "Pay the bill", 2);
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await moveTo(page, "button", "Approve");
  await page.keyboard.press("Enter");
  await arriveAt(page, "Approved: Pay the bill", 2);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await arriveAt(page, "Approved: Pay the bill", 2);

  const user = await page.getByRole("banner").getByRole("button").last().textContent();
  await moveTo(page, "button", user ?? "", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor();
  await page.locator("[role=menu] :focus").waitFor();
  await moveTo(page, "menuitem", "Sign out", "ArrowDown");
  await page.keyboard.press("Enter");
  await heading(page, "Sign in").waitFor();
  await arriveAt(page, "Sign in");
});
