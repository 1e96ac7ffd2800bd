import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { button, heading } from "../../support/approvals/page.ts";
import { endBrowser, type WatchedPage } from "../../support/browser/browser.ts";
import { expectAccessible, openConsole, settle } from "../../support/console/console.ts";

/** Code that would leave a mark, and requests that would leave the origin. */
const RUN = "window.wasRun = true";
const IMAGE = "https://tracker.example/pixel.png";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script><image href="${IMAGE}"/></svg>`;
const HTML = `<h2 onclick="${RUN}">Title of the result</h2><script>${RUN}</script><img src="${IMAGE}" onerror="${RUN}"><img src=x onerror="${RUN}">
<iframe srcdoc="<script>parent.${RUN}</script>"></iframe><a href="javascript:${RUN}">link</a><form action="https://tracker.example"><button>Send</button></form>
<style>@import url(https://tracker.example/a.css);</style><link rel="stylesheet" href="https://tracker.example/b.css"><base href="https://tracker.example/">
<svg><animate onbegin="${RUN}" attributeName="x" dur="1s"></animate><use href="${IMAGE}#a"></use></svg><object data="${IMAGE}"></object><math><mtext><img src=x onerror="${RUN}"></mtext></math>`;
const MARKDOWN = `# Title of the result\n\n![pixel](${IMAGE})\n\n[link](javascript:${RUN})\n\n<script>${RUN}</script>\n\n<img src=x onerror="${RUN}">\n`;
const REVERSED = "invoice\u202egpj.exe";
const deep = (levels: number): unknown => (levels === 0 ? "the innermost" : { inside: deep(levels - 1) });

/** Results, each with a text that its page shows. */
const results: Readonly<Record<string, { value: unknown; text: string }>> = {
  html: { value: { html: HTML }, text: "Title of the result" },
  markdown: { value: { markdown: MARKDOWN }, text: "Title of the result" },
  svg: { value: { image: `data:image/svg+xml;base64,${Buffer.from(SVG).toString("base64")}` }, text: "Display" },
  remote: { value: { image: `javascript:${RUN}` }, text: `javascript:${RUN}` },
  table: {
    value: [
      { name: "=HYPERLINK(1)", [RUN]: `<img src=x onerror="${RUN}">` },
      { name: "+1", [RUN]: REVERSED },
    ],
    text: "=HYPERLINK(1)",
  },
  all: { value: { render_all: [{ html: HTML }, { markdown: MARKDOWN }, { text: HTML }] }, text: "Title of the result" },
  tree: {
    value: {
      names: ["__proto__", "constructor"],
      deep: deep(390),
      text: HTML,
      ["k".repeat(4000)]: "v".repeat(4000),
      [`<b>${REVERSED}`]: 1,
    },
    text: "deep",
  },
  file: { value: { s3: `a/../<img src=x onerror="${RUN}">${REVERSED}.html` }, text: "Download <img" },
};

let ws: Workspace;
let runs: Map<string, string>;
let watched: WatchedPage;
beforeAll(async () => {
  ws = await newWorkspace();
  // Names that a literal would not store are made from JSON.
  const values = Object.fromEntries(Object.entries(results).map(([name, { value }]) => [name, value]));
  const polluted = JSON.stringify(values).replace('"names":', '"__proto__":{"polluted":true},"constructor":1,"names":');
  const content = `const values = JSON.parse(${JSON.stringify(polluted)});
export async function main(name: string) {
  if (name === "html") console.log("x".repeat(1_000_000) + "\\u001b[31m<script>${RUN}</script>\\u202e");
  return values[name];
}`;
  await ws.saveScript({ path: "f/t/hostile", summary: `<img src=x onerror="${RUN}"> ${REVERSED}`, content, language: "bun" });
  const started = await Promise.all(Object.keys(results).map(async (name) => [name, await ws.run("f/t/hostile", { name })] as const));
  await Promise.all(started.map(([, run]) => ws.completed(run)));
  runs = new Map(started);
  watched = await openConsole(`/w/${ws.id}/scripts/f/t/hostile`);
  watched.page.setDefaultTimeout(60_000);
});
afterAll(endBrowser);

async function expectHarmless(): Promise<void> {
  await settle(watched);
  expect(await watched.page.evaluate("[window.wasRun, ({}).polluted]")).toEqual([undefined, undefined]);
  expect(watched.requested.filter((address) => new URL(address).origin !== shared().url && !/^(data|blob|about):/.test(address))).toEqual(
    [],
  );
  // No text makes the page wider than the window.
  expect(await watched.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
}

it("a summary with markup is text", async () => {
  await watched.page.getByText(`<img src=x onerror="${RUN}">`).first().waitFor();
  await expectHarmless();
  await expectAccessible(watched);
});

it.each(Object.entries(results))("a hostile result runs nothing and requests nothing: %s", async (name, { text }) => {
  const { page } = watched;
  await page.goto(`${shared().url}/w/${ws.id}/runs/${runs.get(name)}?tab=result`);
  await heading(page, "f/t/hostile").waitFor();
  await page.getByRole("tabpanel").getByText(text).first().waitFor();
  await expectHarmless();
  // The page can still be used.
  await page.getByRole("tab", { name: "Arguments" }).click();
  await page.getByRole("tabpanel").getByText(name, { exact: true }).waitFor();
  await expectHarmless();
});

it("a table with formulas is saved as text", async () => {
  const { page } = watched;
  await page.goto(`${shared().url}/w/${ws.id}/runs/${runs.get("table")}?tab=result`);
  const [saved] = await Promise.all([page.waitForEvent("download"), button(page, "Download CSV").click()]);
  const csv = await readFile(await saved.path(), "utf8");
  expect(csv).toContain("'=HYPERLINK(1)");
  expect(csv).toContain("'+1");
});

it("a line of a megabyte in the log leaves the page usable", async () => {
  const { page } = watched;
  await page.goto(`${shared().url}/w/${ws.id}/runs/${runs.get("html")}?tab=logs`);
  await page.getByRole("log").getByText("xxxx").first().waitFor();
  await page.getByLabel("Search log").fill("script");
  await expectHarmless();
  await page.getByRole("tab", { name: "Details" }).click();
  await page.getByRole("heading", { name: "Cost (estimate)" }).waitFor();
});
