import { afterAll, describe, expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { barriers } from "../../support/browser/axe.ts";
import { endBrowser, openPage } from "../../support/browser/browser.ts";

afterAll(endBrowser);

const { url } = shared();
const page = async (headers: Record<string, string> = {}) => fetch(`${url}/docs`, { headers });
const filesOf = (html: string) => [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);

describe("the API reference at /docs", () => {
  it("the page needs no token, and none of its files names or may load anything of another origin", async () => {
    const answer = await page();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await answer.text();
    // The page has no inline script and no inline style.
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=| style=/);
    const files = filesOf(html).filter((address) => !address.startsWith("data:"));
    expect(files.filter((address) => !/^\/(docs|api)\/[\w.-]+$/.test(address))).toEqual([]);
    const types: string[] = [];
    for (const file of files) {
      const found = await fetch(url + file);
      expect([file, found.status]).toEqual([file, 200]);
      types.push(found.headers.get("content-type") ?? "");
      const content = await found.text();
      expect(content.length).toBeGreaterThan(500);
      if (file.endsWith(".css")) expect(content).not.toMatch(/@import|url\(["']?(https?:)?\/\//);
    }
    expect(types.sort()).toEqual([
      "application/json",
      ...Array(2).fill("text/css; charset=utf-8"),
      ...Array(2).fill("text/javascript; charset=utf-8"),
    ]);
  });

  it("the server compresses files for clients that accept it, and browsers cache them", async () => {
    const html = await (await page()).text();
    for (const file of filesOf(html).filter((address) => address.startsWith("/docs/"))) {
      const [compressed, plain] = await Promise.all([fetch(url + file), fetch(url + file, { headers: { "accept-encoding": "identity" } })]);
      expect([compressed.headers.get("content-encoding"), plain.headers.get("content-encoding")]).toEqual(["gzip", null]);
      expect(compressed.headers.get("cache-control")).toContain("immutable");
      expect(await compressed.text()).toBe(await plain.text());
    }
    // Each reply with the page that names the files has another nonce.
    expect((await page()).headers.get("cache-control")).toBe("no-store");
  });

  it.each(["nothing.js", "index.html.gz", "..%2fhandler.mjs", "%2e%2e%2findex.mjs", "constructor"])(
    "the server has no file %s",
    async (name) => {
      const answer = await fetch(`${url}/docs/${name}`);
      expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([404, "route.unknown"]);
    },
  );
});

describe("the address of the deployment", () => {
  it("redirects to the console", async () => {
    for (const accept of ["text/html,application/xhtml+xml,*/*;q=0.8", "*/*", "application/json"]) {
      const answer = await fetch(`${url}/`, { headers: { accept }, redirect: "manual" });
      expect([answer.status, answer.headers.get("location"), answer.headers.get("cache-control")]).toEqual([303, "/login", "no-store"]);
    }
    const page = await fetch(`${url}/login`);
    expect([page.status, page.headers.get("cache-control"), await page.text()]).toEqual([
      200,
      "no-store",
      expect.stringContaining("console-main-"),
    ]);
  });
});

describe("the API reference in a browser", () => {
  it("the page shows the operation in its URL, contacts no other server, and logs no error", {
    timeout: 180_000,
  }, async () => {
    const { page: shown, complaints, requested } = await openPage({ colorScheme: "dark" });
    await shown.goto(`${url}/docs#/jobs/jobs.runWait.scripts`);
    const operation = shown.locator(".opblock.is-open");
    await operation.waitFor();
    expect(await operation.textContent()).toContain("Run the newest version of a script and return its result.");
    expect(await shown.locator("html.dark-mode").count()).toBe(1);
    expect(await barriers(shown)).toEqual([]);
    expect(requested.filter((address) => new URL(address).origin !== url && !address.startsWith("data:"))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("the page shows an example of a flow, and its schema, in which modules contain modules", { timeout: 180_000 }, async () => {
    const { page: shown, complaints } = await openPage();
    await shown.goto(`${url}/docs#/flows/flows.create`);
    const body = shown.locator(".opblock.is-open .opblock-section-request-body");
    await body.waitFor();
    expect(await body.locator(".body-param__example").textContent()).toContain('"path"');
    expect(await barriers(shown)).toEqual([]);
    await body.getByRole("tab", { name: "Schema" }).click();
    const value = body.locator('.json-schema-2020-12[data-json-schema-level="1"]', { hasText: "value" }).first();
    await value.getByRole("button", { name: "Expand all" }).click();
    await value.getByText("failure_module").first().waitFor();
    await value.getByText("parallel").first().waitFor();
    expect(complaints).toEqual([]);
  });

  it("a user runs a script with a token that they type in, by keyboard alone", { timeout: 300_000 }, async () => {
    const ws = await newWorkspace();
    await ws.saveScript({ path: "f/t/hello", language: "bash", content: "echo hello from the page" });
    const { page: shown, complaints } = await openPage();
    await shown.goto(`${url}/docs#/jobs/jobs.runWait.scripts`);
    await shown.locator(".opblock.is-open").waitFor();
    const press = async (name: string | RegExp) => {
      await shown.getByRole("button", { name, exact: true }).first().focus();
      await shown.keyboard.press("Enter");
    };
    await press("Authorize");
    await shown.getByLabel("auth-bearer-value").fill(api().token);
    await press("Apply credentials");
    await press("Close");
    await press("Try it out");
    const operation = shown.locator(".opblock.is-open");
    await operation.getByPlaceholder("workspace", { exact: true }).fill(ws.id);
    await operation.getByPlaceholder("path", { exact: true }).fill("f/t/hello");
    await press("Execute");
    const reply = operation.locator(".live-responses-table");
    await reply.waitFor();
    expect(await reply.textContent()).toContain("hello from the page");
    expect(complaints).toEqual([]);
    expectStatus(await ws.get("jobs/completed/count"), 200);
  });
});
