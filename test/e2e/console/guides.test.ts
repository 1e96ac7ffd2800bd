import { describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";

const ask = (path: string, method = "GET") => fetch(`${shared().url}${path}`, { method });

describe("the guides of the deployment", () => {
  it("are served with the policy of the pages, and to HEAD without their text", async () => {
    const list = await ask("/docs/guide");
    const html = await list.text();
    const addresses = [...new Set([...html.matchAll(/href="(\/docs\/guide\/[a-z-]+)"/g)].map(([, address = ""]) => address))];
    expect(addresses.length).toBeGreaterThan(20);
    for (const address of ["/docs/guide", ...addresses]) {
      const [page, head] = await Promise.all([ask(address), ask(address, "HEAD")]);
      expect([address, page.status, head.status, await head.text()]).toEqual([address, 200, 200, ""]);
      expect(await page.text()).toContain("<h1");
      for (const { headers } of [page, head]) {
        expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/);
        expect(headers.get("cache-control")).toBe("no-store");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
      }
    }
  });

  it("answer 404 for a guide that does not exist, and for a name that leaves their folder", async () => {
    const statuses = ["/docs/guide/none", "/docs/guide/..%2fconsole", "/docs/guide/constructor"].map(
      async (path) => (await ask(path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
  });

  it("have files that browsers keep", async () => {
    const [style = ""] = /\/assets\/guide-[^"]+\.css/.exec(await (await ask("/docs/guide/flows")).text()) ?? [];
    const file = await ask(style);
    expect([file.status, file.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  });
});

describe("the reference of the API", () => {
  it("has an example for each body of JSON", async () => {
    interface Described {
      paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: unknown; examples?: unknown }> } }>>;
    }
    const { paths } = (await (await ask("/api/openapi.json")).json()) as Described;
    const bodies = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ requestBody }) => requestBody?.content["application/json"] ?? []),
    );
    const withExample = bodies.filter(({ example, examples }) => example !== undefined || examples !== undefined);
    expect(withExample.length / bodies.length).toBeGreaterThan(0.95);
  });
});
