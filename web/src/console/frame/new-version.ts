import { basePath } from "../../shared/base-path.ts";
import { send } from "../../shared/service.ts";

const CHECKED_EVERY_MS = 5 * 60_000;

/** The address of the script that a page names. Its name changes with each version. */
export const scriptOf = (html: string): string | undefined => /<script[^>]*\ssrc="([^"]+)"/.exec(html)?.[1];

let checkedMs = Date.now();
let hasChanged = false;

async function check(): Promise<void> {
  const { value } = await send({ method: "GET", address: "/login" });
  const served = scriptOf(String(value));
  const running = document.querySelector("script[src]")?.getAttribute("src");
  hasChanged = served !== undefined && served !== running;
}

/**
 * Loads a page as a new document if the service has a newer version of the console, because the files of the older one no longer exist.
 * Checks at most once in five minutes, and only when a person navigates.
 */
export function reloadIntoNewVersion(href: string): void {
  if (hasChanged) {
    location.assign(`${basePath}${href}`);
    return;
  }
  if (Date.now() - checkedMs < CHECKED_EVERY_MS) return;
  checkedMs = Date.now();
  // Without an answer, the page keeps its version until the next check.
  check().catch(() => {});
}
