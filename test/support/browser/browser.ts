import chromium from "@sparticuz/chromium";
import { type Browser, type Page, chromium as playwright } from "playwright-core";

/** A page in a real browser, with what a test wants to know of it afterwards. */
export interface WatchedPage {
  page: Page;
  /** What the browser complained about: refused by the page's policy, scripts that threw, files that were not there. */
  complaints: string[];
  /** Every address that was asked for. */
  requested: string[];
}

let browser: Promise<Browser> | undefined;

/** The package brings a browser for Linux that needs nothing of the system; elsewhere Playwright looks for a Chrome that is installed. */
async function launch(): Promise<Browser> {
  if (process.platform !== "linux") return playwright.launch({ channel: "chrome" });
  return playwright.launch({ executablePath: await chromium.executablePath(), args: chromium.args });
}

/** A page of its own, but for cookies, which the package's browser shares between all pages. `endBrowser` ends them all. */
export async function openPage(options: Parameters<Browser["newContext"]>[0] = {}): Promise<WatchedPage> {
  browser ??= launch();
  const page = await (await (await browser).newContext(options)).newPage();
  // A busy machine takes its time.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("request", (request) => requested.push(request.url()));
  return { page, complaints, requested };
}

/** For the end of a test file, or of a test that has signed in: the next page opens in a new browser. */
export async function endBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}
