import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { env } from "../../../contract/env.ts";
import { staticFiles } from "./static-files.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "site-"));
  writeFileSync(join(folder, "page.html.gz"), gzipSync('<script nonce="__CSP_NONCE__"></script><link nonce="__CSP_NONCE__">'));
  const linked = '<script src="./assets/a.js"></script><link href="/docs/b.css"><link href="data:,">';
  writeFileSync(join(folder, "linked.html.gz"), gzipSync(linked));
  writeFileSync(join(folder, "code.js.gz"), gzipSync("1"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const serve = (name: string) =>
  staticFiles({ folder, policy: ["trusted-types none"], page: { "x-frame-options": "DENY" } })(name, `/${name}`, "gzip");
const policyOf = (headers: object = {}) =>
  Object.fromEntries(
    String((headers as Record<string, unknown>)["content-security-policy"])
      .split("; ")
      .map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1)]),
  );

describe("a page", () => {
  it("runs only code that has the nonce of its reply, because the replies of scripts have the same origin", async () => {
    const [first, second] = [await serve("page.html"), await serve("page.html")];
    for (const { headers, body } of [first, second]) {
      const policy = policyOf(headers);
      const [source = ""] = policy["script-src"] ?? [];
      expect(source).toMatch(/^'nonce-[\w-]{22}'$/);
      expect([policy["script-src"], policy["style-src"], policy["worker-src"], policy["default-src"]]).toEqual([
        [source],
        [source],
        ["'none'"],
        ["'none'"],
      ]);
      const nonce = source.slice("'nonce-".length, -1);
      expect(body).toBe(`<script nonce="${nonce}"></script><link nonce="${nonce}">`);
      expect(headers).toMatchObject({ "cache-control": "no-store", "x-frame-options": "DENY" });
      expect(policy["trusted-types"]).toEqual(["none"]);
    }
    expect(first.body).not.toBe(second.body);
  });

  it("starts workers only if its policy says so, and a worker can call and load nothing", async () => {
    const page = await staticFiles({ folder, policy: ["worker-src 'self'"], page: {} })("page.html", "/page.html");
    expect(policyOf(page.headers)["worker-src"]).toEqual(["'self'"]);
    writeFileSync(join(folder, "a-worker-Ab_1.js.gz"), gzipSync("1"));
    const worker = await staticFiles({ folder, policy: [], page: {} })("a-worker-Ab_1.js", "/a-worker-Ab_1.js");
    expect(policyOf(worker.headers)).toEqual({ "default-src": ["'none'"], "frame-ancestors": ["'none'"] });
  });

  it("names its files below the path of the service, which is empty at most origins", async () => {
    const { body } = await serve("linked.html");
    expect(body).toBe('<script src="/assets/a.js"></script><link href="/docs/b.css"><link href="data:,">');
    vi.stubEnv(env.baseUrl, "https://a1b2.execute-api.eu-west-1.amazonaws.com/prod");
    const staged = await serve("linked.html");
    expect(staged.body).toBe('<script src="/prod/assets/a.js"></script><link href="/prod/docs/b.css"><link href="data:,">');
    vi.unstubAllEnvs();
  });

  it("loads files that browsers cache, and that display nothing if they are opened directly", async () => {
    const { headers } = await serve("code.js");
    expect(headers).toMatchObject({ "cache-control": expect.stringContaining("immutable"), "x-content-type-options": "nosniff" });
    expect(policyOf(headers)).toMatchObject({ "default-src": ["'none'"], sandbox: [] });
  });
});
