import { expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";

it("an address below /api/r without a route is 404 in one sandboxed sentence, also for pages of other sites", async () => {
  const headers = { origin: "https://shop.example" };
  for (const [method, path] of [
    ["GET", "/api/r/none"],
    ["POST", "/api/r/a/..%2fb"],
    ["DELETE", "/api/r"],
    ["OPTIONS", "/api/r//x"],
  ] as const) {
    const answer = await fetch(`${shared().url}${path}`, { method, headers });
    expect([answer.status, await answer.text()]).toEqual([404, "There is no route with this address."]);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toBe("sandbox allow-scripts allow-forms allow-popups allow-downloads");
  }
});
