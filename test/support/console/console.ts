import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { frameText } from "../../../web/src/console/messages/frame.ts";
import { api, shared } from "../api/api.ts";
import { expectQuiet, expectUsable } from "../approvals/page.ts";
import { barriers } from "../browser/axe.ts";
import { openPage, type WatchedPage } from "../browser/browser.ts";

interface Options {
  /** The user of the page. Default: the administrator. */
  token?: string;
  dark?: boolean;
  phone?: boolean;
  /** Whether pages explain themselves, as on a first visit. Default: the person has dismissed all hints. */
  hints?: boolean;
}

/** The copy of preferences that a browser has after a sign-in. It is new, so that no page reads the account. */
const DISMISSED = { dismissed_hints: Object.keys(frameText.hints) };
const keepPreferences = `localStorage["svc.person.preferences"] ??= JSON.stringify({ atMs: Date.now(), value: ${JSON.stringify(DISMISSED)} });`;

/** Opens a page of the console as a user who is signed in, and waits for its heading. */
export async function openConsole(
  address: string,
  { token = api().token, dark = false, phone = false, hints = false }: Options = {},
): Promise<WatchedPage> {
  const watched = await openPage({
    viewport: phone ? { width: 360, height: 740 } : { width: 1280, height: 800 },
    colorScheme: dark ? "dark" : "light",
    // A colour that fades has a low contrast for a moment.
    reducedMotion: "reduce",
  });
  const { page } = watched;
  await page.context().addCookies([{ name: "token", value: token, url: shared().url }]);
  if (!hints) await page.addInitScript(keepPreferences);
  await show(page, address);
  return watched;
}

/** Opens another page of the console, and waits for its heading. */
export async function show(page: Page, address: string): Promise<void> {
  await page.goto(`${shared().url}${address}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** Returns when the router has displayed the page of an address. */
const GO = `async (address) => {
  history.pushState({}, "", address);
  await __TSR_ROUTER__.latestLoadPromise;
  const isShown = ({ status, location, resolvedLocation }) => status === "idle" && resolvedLocation?.href === location.href;
  while (!isShown(__TSR_ROUTER__.state)) await new Promise(requestAnimationFrame);
}`;

/** Opens another page of the console as a link does: the document and the data that it has read remain. */
export async function go(page: Page, address: string): Promise<void> {
  await page.evaluate(`(${GO})(${JSON.stringify(address)})`);
}

/** A request whose end the browser does not report is not waited for. */
const MOST_FRAMES = 500;

/** Waits until each request has its answer, and the page has displayed it. */
export async function settle({ page, openRequests }: WatchedPage): Promise<void> {
  for (let frames = 0, calm = 0; calm < 2 && frames < MOST_FRAMES; frames++) {
    await page.evaluate("new Promise((displayed) => requestAnimationFrame(() => setTimeout(displayed)))");
    calm = openRequests.size === 0 ? calm + 1 : 0;
  }
}

/** The heading and the buttons that a page shows. */
export interface Seen {
  heading: string;
  buttons: string[];
}

interface Expected {
  /** The element whose buttons are named. */
  part: string;
  heading?: string | undefined;
  /** A part of the text. */
  text?: string | undefined;
  buttons: readonly string[];
}

/** Returns what is shown as soon as everything that is expected is there, or after the time has passed. The page is examined in each frame. */
const SEE = `async ({ part, heading, text, buttons }, mostMs) => {
  const nameOf = (button) => {
    const named = button.cloneNode(true);
    for (const hidden of named.querySelectorAll("[aria-hidden]")) hidden.remove();
    return button.getAttribute("aria-label") ?? named.textContent.trim();
  };
  const see = () => ({
    heading: document.querySelector("h1")?.textContent ?? "",
    buttons: [...document.querySelectorAll(part + " button:not([role=tab])")].filter((button) => button.checkVisibility()).map(nameOf),
  });
  const lower = text?.toLowerCase();
  const isThere = (seen) =>
    (heading === undefined || seen.heading === heading) &&
    buttons.every((name) => seen.buttons.includes(name)) &&
    (lower === undefined || document.body.innerText.toLowerCase().includes(lower));
  const endMs = performance.now() + mostMs;
  for (;;) {
    const seen = see();
    if (isThere(seen) || performance.now() > endMs) return seen;
    await new Promise(requestAnimationFrame);
  }
}`;

const MOST_WAIT_MS = 30_000;

/**
 * Waits for a heading, a text and buttons, and returns what a part of the page shows when all requests have their answers. A locator asks at
 * growing intervals and for one thing at a time, which takes most of the time of a test that opens hundreds of pages.
 */
export async function see(watched: WatchedPage, expected: Expected): Promise<Seen> {
  const { page } = watched;
  const look = (mostMs: number) => page.evaluate<Seen>(`(${SEE})(${JSON.stringify(expected)}, ${mostMs})`);
  await look(MOST_WAIT_MS);
  await settle(watched);
  if (expected.text !== undefined) await page.getByText(expected.text).first().waitFor();
  return look(0);
}

/** A script that lists the texts that are wider than their box and have no ellipsis. */
const CUT_TEXTS = `[...document.querySelectorAll("body *")]
  .filter((element) => {
    const { overflowX, textOverflow } = getComputedStyle(element);
    const isShown = element.clientWidth > 1 && !element.closest(".hidden");
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    return isShown && hasText && /hidden|clip/.test(overflowX) && textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 1;
  })
  .map((element) => "cut: " + element.outerHTML.slice(0, 200))`;

/** Expects that nothing is wider than the page, and that no text is cut. */
async function expectReadable(page: Page): Promise<void> {
  expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  expect(await page.evaluate<string[]>(CUT_TEXTS)).toEqual([]);
}

/**
 * Expects that a page is usable in both themes, on a phone and at a zoom of 200 %, and that nothing was refused or requested elsewhere. A theme
 * changes colours alone, and a zoom the layout alone.
 */
export async function expectAccessible(watched: WatchedPage): Promise<void> {
  const { page } = watched;
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.emulateMedia({ colorScheme: "light" });
  await expectUsable(page);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await barriers(page, ["color-contrast"])).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await expectUsable(page);
  // A window of 1280 × 800 has this size at 200 %.
  await page.setViewportSize({ width: 640, height: 400 });
  await expectReadable(page);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(size);
  expectQuiet(watched);
}

/** Creates an image in docs/images if SVC_SCREENSHOTS=1 is set. */
export async function consolePicture(page: Page, name: string): Promise<void> {
  if (process.env["SVC_SCREENSHOTS"] !== "1") return;
  const folder = path.join(import.meta.dirname, "../../../docs/images");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `console-${name}.png`) });
}
