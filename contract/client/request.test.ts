import { describe, expect, it } from "vitest";
import { buildPathPattern, type Route } from "../route.ts";
import { routes } from "../routes/routes.ts";
import type { OperationName } from "./operation.ts";
import { operations } from "./operations/all.ts";
import { AddressError, toRequest } from "./request.ts";

const all = Object.values<Route>(routes);
const partsOf = ({ path }: Route) => [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, part]) => part ?? "");

/** Returns the request to a route whose address contains this value in each of its parts. */
function requestWith(route: Route, value: string) {
  const { method, address } = toRequest(
    operations,
    route.name as OperationName,
    Object.fromEntries(partsOf(route).map((part) => [part, value])),
  );
  return { method, url: new URL(address, "https://svc.example") };
}

describe("toRequest", () => {
  it("leads to the route, whatever the parts of its address contain", () => {
    for (const route of all) {
      const { method, url } = requestWith(route, "a ?#%2e&=é;+b");
      expect([route.name, method, url.search, url.hash]).toEqual([route.name, route.method, "", ""]);
      expect(url.pathname).toMatch(buildPathPattern(route));
      expect(url.pathname.split("/")).toHaveLength(route.path.split("/").length);
      expect(partsOf(route).length).toBe(url.pathname.split("a%20%3F%23%252e%26%3D%C3%A9%3B%2Bb").length - 1);
    }
  });

  it("keeps the slashes of a path, and encodes those of every other part", () => {
    const at = { workspace: "demo", kind: "script", path: "f/app/key" };
    expect(toRequest(operations, "acls.get", at).address).toBe("/api/w/demo/acls/get/script/f/app/key");
    expect(toRequest(operations, "acls.get", { ...at, kind: "a/b" }).address).toBe("/api/w/demo/acls/get/a%2Fb/f/app/key");
  });

  it.each([".", "..", "x/../y"])("refuses the part %j of an address or encodes it, because a URL would drop it", (value) => {
    for (const route of all.filter((one) => partsOf(one).length > 0)) {
      if (value.includes("/") && !route.path.endsWith("+}"))
        expect(requestWith(route, value).url.pathname).toMatch(buildPathPattern(route));
      else expect(() => requestWith(route, value)).toThrow(AddressError);
    }
  });

  it("throws an error if a part of the address is missing", () => {
    expect(() => toRequest(operations, "variables.get", { workspace: "demo" })).toThrow("The call of variables.get lacks path.");
  });
});
