import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { shared } from "../api/api.ts";
import type { Workspace } from "../api/workspace.ts";
import { barriers } from "../browser/axe.ts";
import { openPage, type WatchedPage } from "../browser/browser.ts";
import { asks, sees, startRun, urls, waiting } from "./approvals.ts";

type PageOptions = Parameters<typeof openPage>[0];
export const phone = { viewport: { width: 360, height: 740 }, colorScheme: "dark" } as const;

interface Opened {
  approver?: string;
  args?: object;
  options?: PageOptions;
}

/** Returns a function that starts a flow, waits for its request and opens the page as the approver of the link. */
export function pageOpener(workspace: () => Workspace) {
  return async (value: object[], { approver, args = {}, options }: Opened = {}) => {
    const ws = workspace();
    const run = await startRun(ws, value, args);
    const [gate] = await waiting(ws, run);
    const id = gate?.gate_id ?? "";
    const link = (await urls(ws, id, approver ? { approver } : {})).approvalPage;
    return { run, id, link, ...(await visited(link, options)) };
  };
}

export async function visited(link: string, options?: PageOptions): Promise<WatchedPage> {
  const watched = await openPage(options);
  watched.page.setDefaultTimeout(30_000);
  await watched.page.goto(link);
  await watched.page.getByRole("heading", { level: 1 }).waitFor();
  return watched;
}

export const button = (page: Pick<Page, "getByRole">, name: string) => page.getByRole("button", { name, exact: true });
export const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });

/** Expects that the page's policy refused nothing, that nothing failed, and that no other server got a request. */
export function expectQuiet({ complaints, requested }: WatchedPage): void {
  expect(complaints).toEqual([]);
  expect(requested.filter((address) => new URL(address).origin !== shared().url && !address.startsWith("data:"))).toEqual([]);
}

export async function expectUsable(page: Page): Promise<void> {
  expect(await barriers(page)).toEqual([]);
  const tooWide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  expect(tooWide).toBeLessThanOrEqual(0);
}

/** Creates an image in docs/images if SVC_SCREENSHOTS=1 is set. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env["SVC_SCREENSHOTS"] !== "1") return;
  const folder = path.join(import.meta.dirname, "../../../docs/images");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `approval-${name}.png`), fullPage: true });
}

export async function signIn(page: Page): Promise<void> {
  const { email, password } = shared();
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await button(page, "Sign in").click();
}

const form = {
  type: "object",
  required: ["size", "region"],
  order: ["region", "size", "note"],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 10, description: "How many machines." },
    note: { type: "string" },
    region: { type: "string" },
    urgent: { type: "boolean", default: true },
    plan: { type: "string", contentEncoding: "base64" },
  },
};

export const releases = (suspend: object = {}) => [
  asks(
    "ask",
    { resume_form: { schema: form }, inputs: ["version"], ...suspend },
    "({ default_args: { note: 'as planned' }, enums: { region: ['north', 'south'] }, description: 'The tests have passed.' })",
    { summary: "Release to production" },
  ),
  sees(),
];
