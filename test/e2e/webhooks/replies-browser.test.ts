import { afterAll, beforeAll, expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { endBrowser, openPage } from "../../support/browser/browser.ts";

/** Media types that browsers render, might render, or might guess to be HTML. */
const TYPES = [
  "text/html",
  "TEXT/HTML; charset=utf-8",
  "text/html;charset=utf-7",
  " text/html",
  "text/html, application/json",
  "application/json;,text/html",
  "application/json; charset=utf-8, image/svg+xml",
  "application/xhtml+xml",
  "image/svg+xml",
  "text/xml",
  "application/xml",
  "application/rss+xml",
  "application/problem+json",
  "application/json5",
  "multipart/x-mixed-replace; boundary=b",
  "message/rfc822",
  "text/plain",
  "text/css",
  "application/javascript",
  "application/octet-stream",
  "image/png",
  "*/*",
  "unknown/unknown",
  "html",
];

const VISITORS = 4;

const READ = "session-of-the-visitor:";
/**
 * Tries to read the visitor's session, and reports it to the console of the page. It has neither quotation marks nor line breaks, so that it also
 * runs inside a JSON string.
 */
const ATTACK = `
  fetch('/api/users/whoami', { credentials: 'include' }).then((r) => r.text()).then((t) => console.log('${READ}' + t)).catch(() => {});
  try { console.log('cookie:' + document.cookie); localStorage.setItem('a', '1'); console.log('storage:shared'); } catch {}
  try { navigator.serviceWorker.register('/api/sw.js').then(() => console.log('worker:registered')).catch(() => {}); } catch {}`.replaceAll(
  "\n",
  " ",
);
const HTML = `<!doctype html><html><body><script>${ATTACK}</script></body></html>`;
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><body><script><![CDATA[${ATTACK}]]></script></body></html>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script><![CDATA[${ATTACK}]]></script></svg>`;
const MIXED = `--b\r\nContent-Type: text/html\r\n\r\n${HTML}\r\n--b--`;
const bodyOf = (type: string) => (/svg/.test(type) ? SVG : /xml/.test(type) ? XHTML : /multipart/.test(type) ? MIXED : HTML);

let ws: Workspace;
/** A token in the URL, so that a navigation can run the script. */
let token: string;
beforeAll(async () => {
  ws = await newWorkspace();
  const content = `export const main = (type: string, body: string, fail: boolean) => {
    const shape = { svc_content_type: type, result: body };
    if (fail) throw Object.assign(new Error("planned"), shape);
    return shape;
  };`;
  await ws.saveScript({ path: "f/t/page", language: "bun", content });
  const asked = { label: "page", workspace_id: ws.id, scopes: ["jobs:run:scripts:f/t/page"] };
  token = expectStatus(await api().post("users/tokens/create", asked), 201).text;
});
afterAll(endBrowser);

/** Opens a page as a visitor who is signed in. Returns what the pages say that are opened with `visit`. */
async function newVisitor() {
  const { page } = await openPage();
  const { url, email, password } = shared();
  const lines: string[] = [];
  page.on("console", (message) => lines.push(message.text()));
  // The same request as that of the attack succeeds on a page of the service.
  await page.goto(`${url}/api/health`);
  const signedIn = await page.evaluate(
    async (credentials) => {
      const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(credentials) };
      await fetch("/api/auth/login", post);
      return (await fetch("/api/users/whoami")).text();
    },
    { email, password },
  );
  expect(signedIn).toContain(email);
  return async (what: string, address: string) => {
    lines.length = 0;
    // A download ends the navigation without a page.
    const answer = await page.goto(`${url}/api/${address}`, { waitUntil: "networkidle" }).catch(() => null);
    if (answer) expect([what, answer.headers()["x-content-type-options"]]).toEqual([what, "nosniff"]);
    expect([what, lines.filter((line) => /^(session-of|cookie:.|storage:|worker:)/.test(line))]).toEqual([what, []]);
    return lines.length > 0;
  };
}

it("no page that a script returns reads the session of its visitor, whatever its media type", { timeout: 240_000 }, async () => {
  const cases = [false, true].flatMap((fail) => TYPES.map((type) => ({ type, body: bodyOf(type), fail })));
  // A page waits until the network is idle, so several visitors share the cases.
  const visitors = await Promise.all(Array.from({ length: VISITORS }, newVisitor));
  const counts = visitors.map(async (visit, first) => {
    let rendered = 0;
    for (let at = first; at < cases.length; at += VISITORS) {
      const payload = Buffer.from(JSON.stringify(cases[at])).toString("base64url");
      const address = `w/${ws.id}/jobs/run_wait_result/p/f/t/page?token=${token}&payload=${payload}`;
      rendered += (await visit(cases[at]?.type ?? "", address)) ? 1 : 0;
    }
    return rendered;
  });
  const rendered = (await Promise.all(counts)).reduce((sum, count) => sum + count);
  // The attack itself runs where browsers run scripts.
  expect(rendered).toBeGreaterThan(5);
});

it("no page of the service runs or applies the reply of a script, as script, style or worker", async () => {
  const { page } = await openPage();
  const addressOf = (type: string, body: string) =>
    `/api/w/${ws.id}/jobs/run_wait_result/p/f/t/page?token=${token}&payload=${Buffer.from(JSON.stringify({ type, body, fail: false })).toString("base64url")}`;
  const code = addressOf("text/javascript", "globalThis.attacked = true");
  const style = addressOf("text/css", "html { --attacked: yes }");
  await page.goto(`${shared().url}/docs`, { waitUntil: "networkidle" });
  // The page itself works with its nonce.
  expect(await page.locator("#reference *").count()).toBeGreaterThan(10);
  const outcomes = await page.evaluate(`(async () => {
    const add = (tag, fields) => new Promise((resolve) => {
      const element = Object.assign(document.createElement(tag), fields, { onload: () => resolve("loaded"), onerror: () => resolve("refused") });
      document.head.append(element);
    });
    const script = await add("script", { src: ${JSON.stringify(code)} });
    const module = await add("script", { src: ${JSON.stringify(code)}, type: "module" });
    const style = await add("link", { href: ${JSON.stringify(style)}, rel: "stylesheet" });
    const service = await navigator.serviceWorker.register(${JSON.stringify(code)}).then(() => "registered", () => "refused");
    const worker = await new Promise((resolve) => {
      try {
        new Worker(${JSON.stringify(code)}).onerror = () => resolve("refused");
      } catch {
        resolve("refused");
      }
    });
    return [script, module, style, service, worker, globalThis.attacked ?? "no"];
  })()`);
  expect(outcomes).toEqual(["refused", "refused", "refused", "refused", "refused", "no"]);
});

it("no page and no file of an HTTP route reads the session of its visitor", { timeout: 240_000 }, async () => {
  const common = { script_path: "f/t/page", is_flow: false, http_method: "get", workspaced_route: true };
  expectStatus(await ws.post("http_triggers/create", { ...common, path: "f/t/shaped", route_path: "shaped" }), 201);
  const site = { static_asset_config: { s3: "f/t/site" }, is_static_website: true };
  expectStatus(await ws.post("http_triggers/create", { ...common, ...site, path: "f/t/site", route_path: "site" }), 201);
  for (const [name, body] of [
    ["index.html", HTML],
    ["image.svg", SVG],
    ["page.xhtml", XHTML],
  ] as const) {
    expectStatus(await ws.call("POST", "job_helpers/upload_s3_file", { body, query: { file_key: `f/t/site/${name}` } }), 200);
  }
  const visit = await newVisitor();
  let rendered = 0;
  for (const type of ["text/html", "application/xhtml+xml", "image/svg+xml", "text/html;charset=utf-7", "text/plain"]) {
    const payload = Buffer.from(JSON.stringify({ type, body: bodyOf(type), fail: false })).toString("base64url");
    rendered += (await visit(type, `r/${ws.id}/shaped?payload=${payload}`)) ? 1 : 0;
  }
  for (const name of ["", "image.svg", "page.xhtml"]) rendered += (await visit(name, `r/${ws.id}/site/${name}`)) ? 1 : 0;
  expect(rendered).toBeGreaterThan(5);
});
