import { describe, expect, it } from "vitest";
import { isAdmitted } from "./admission.ts";

const hosts = ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"];
const visit = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

describe("the local service", () => {
  it.each(hosts)("answers programs and its own pages at %s", (host) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      expect(isAdmitted({ method, headers: { host } })).toBe(true);
      expect(isAdmitted({ method, headers: { host, origin: `http://${host}`, "sec-fetch-site": "same-origin" } })).toBe(true);
      expect(isAdmitted({ method, headers: { host, origin: `http://${host}` } })).toBe(true);
    }
    expect(isAdmitted({ method: "GET", headers: { host, "sec-fetch-site": "none", ...visit } })).toBe(true);
  });

  it("answers a person who follows a link of another site, such as one in a mail", () => {
    const headers = { host: hosts[0], "sec-fetch-site": "cross-site", ...visit };
    expect(isAdmitted({ method: "GET", headers })).toBe(true);
  });

  it("answers pages of every site at the addresses of HTTP routes, but not at those of a foreign host", () => {
    const headers = { host: hosts[0], origin: "https://shop.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" };
    expect(isAdmitted({ method: "POST", headers }, "/api/r/shop/orders")).toBe(true);
    expect(isAdmitted({ method: "POST", headers }, "/api/rest")).toBe(false);
    expect(isAdmitted({ method: "POST", headers: { ...headers, host: "evil.example" } }, "/api/r/shop/orders")).toBe(false);
  });

  it.each([
    ["a foreign host", { host: "evil.example" }],
    ["a foreign host on a page of it", { host: "evil.example:8000", origin: "http://evil.example:8000", "sec-fetch-site": "same-origin" }],
    ["a name that begins like ours", { host: "localhost.evil.example" }],
    ["no host", {}],
    ["a foreign origin", { host: hosts[0], origin: "https://evil.example" }],
    ["another port of this machine", { host: hosts[0], origin: "http://127.0.0.1:9000" }],
    ["a page without an origin", { host: hosts[0], origin: "null" }],
    [
      "a script of another site",
      { host: hosts[0], "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
    ],
    [
      "a frame of another site",
      { host: hosts[0], "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
    ],
    ["another port of this name", { host: hosts[0], "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" }],
  ])("refuses %s, whatever the method", (_what, headers) => {
    for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) expect(isAdmitted({ method, headers })).toBe(false);
  });

  it("refuses a form of another site, although the browser shows the reply as a page", () => {
    const headers = { host: hosts[0], "sec-fetch-site": "cross-site", ...visit };
    expect(isAdmitted({ method: "POST", headers })).toBe(false);
  });
});
