import chromium from "@sparticuz/chromium";
import { type Browser, type Page, chromium as playwright, type Request } from "playwright-core";

/** A page in a real browser, with the data that tests check. */
export interface WatchedPage {
  page: Page;
  /** The browser's errors: policy violations, exceptions and missing files. */
  complaints: string[];
  /** All requested URLs. */
  requested: string[];
  /** The requests without a complete answer, except streams of events. */
  openRequests: Set<Request>;
}

let browser: Promise<Browser> | undefined;

/** The package turns these protections off by default. */
const UNSAFE = ["--disable-web-security", "--disable-site-isolation-trials", "--allow-running-insecure-content"];
/** The package emulates a graphics card for WebGL, which renders pages at several times the cost of the browser's software renderer. */
const GRAPHICS = ["--ignore-gpu-blocklist", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

/** The package contains a browser for Linux without system dependencies. On other systems, Playwright uses an installed Chrome. */
async function launch(): Promise<Browser> {
  if (process.platform !== "linux") return playwright.launch({ channel: "chrome" });
  const args = chromium.args.filter((arg) => !UNSAFE.includes(arg) && !GRAPHICS.includes(arg));
  return playwright.launch({ executablePath: await chromium.executablePath(), args: [...args, "--disable-gpu"] });
}

/** A new page. Only cookies are shared with the other pages of the package's browser. `endBrowser` ends them all. */
export async function openPage(options: Parameters<Browser["newContext"]>[0] = {}): Promise<WatchedPage> {
  browser ??= launch();
  const page = await (await (await browser).newContext(options)).newPage();
  // A busy machine needs more time.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => {
    const { errorText = "" } = request.failure() ?? {};
    // A page ends its streams, and the requests whose answer it no longer needs.
    if (errorText !== "net::ERR_ABORTED") complaints.push(`${request.url()}: ${errorText}`);
  });
  const openRequests = new Set<Request>();
  page.on("request", (request) => {
    requested.push(request.url());
    if (request.resourceType() !== "eventsource") openRequests.add(request);
  });
  page.on("requestfinished", (request) => openRequests.delete(request));
  page.on("requestfailed", (request) => openRequests.delete(request));
  return { page, complaints, requested, openRequests };
}

/** Makes a page hidden, as a tab behind another one. */
export async function hidePage(page: Page): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" });
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  `);
}

/** For the end of a test file, or of a test that has signed in: the next page opens in a new browser. */
export async function endBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}
