import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { api, shared } from "../api/api.ts";
import { expectQuiet, expectUsable } from "../approvals/page.ts";
import { openPage, type WatchedPage } from "../browser/browser.ts";

interface Options {
  /** The user of the page. Default: the administrator. */
  token?: string;
  dark?: boolean;
  phone?: boolean;
}

/** Opens a page of the console as a user who is signed in, and waits for its heading. */
export async function openConsole(
  address: string,
  { token = api().token, dark = false, phone = false }: Options = {},
): Promise<WatchedPage> {
  const watched = await openPage({
    viewport: phone ? { width: 360, height: 740 } : { width: 1280, height: 800 },
    colorScheme: dark ? "dark" : "light",
    // A colour that fades has a low contrast for a moment.
    reducedMotion: "reduce",
  });
  const { page } = watched;
  await page.context().addCookies([{ name: "token", value: token, url: shared().url }]);
  await show(page, address);
  return watched;
}

/** Opens another page of the console, and waits for its heading. */
export async function show(page: Page, address: string): Promise<void> {
  await page.goto(`${shared().url}${address}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** Expects that a page is usable in both themes and on a phone, and that nothing was refused or requested elsewhere. */
export async function expectAccessible(watched: WatchedPage): Promise<void> {
  const { page } = watched;
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectUsable(page);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await expectUsable(page);
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
