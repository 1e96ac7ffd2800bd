import { statSync } from "node:fs";
import http from "node:http";
import { describe, expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { newWorkspace } from "../../support/api/workspace.ts";

/** The status of a request to the engine's own port. `fetch` sends its own `Host`. */
function engineStatus(headers: http.OutgoingHttpHeaders, path = "/_ministack/health"): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http.get(`${shared().endpoint}${path}`, { headers }, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
}

describe("the engine's port", () => {
  it("programs get answers, and pages of any site do not, not even those of the service", async () => {
    expect(await engineStatus({})).toBe(200);
    expect(await engineStatus({ "sec-fetch-site": "none" })).toBe(200);
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: shared().url },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { host: "evil.example" },
      { host: "evil.example:80", "x-svc-engine-key": "" },
      { origin: shared().url, "x-svc-engine-key": "guess" },
    ]) {
      expect([headers, await engineStatus(headers)]).toEqual([headers, 403]);
    }
  });

  it("functions do not inherit the key of the front server", async () => {
    const ws = await newWorkspace();
    await ws.saveScript({
      path: "f/t/env",
      language: "bash",
      content: "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '^SVC_ENGINE_KEY=.' || true",
    });
    expect((await ws.runWait("f/t/env", {})).json).toBe("0");
  });
});

describe("the state of an instance", () => {
  it("only its owner can read what is in its folder", () => {
    expect(statSync(shared().dir).mode & 0o777).toBe(0o700);
  });
});

describe("the instance", () => {
  it("the root URL returns the version without a token", async () => {
    const answer = await api().call("GET", "version", { token: "" });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^\w+ v\d+\.\d+\.\d+/);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
  });

  it("an unknown URL returns an error in plain text with a code", async () => {
    const answer = await api().get("nothing/here");
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(answer.headers.get("x-svc-error")).toBe("route.unknown");
  });
});
