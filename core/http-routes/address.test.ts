import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRoutePath } from "../../contract/routes/triggers/route-path.ts";
import {
  chooseHttpRoute,
  findTextPrefix,
  type HttpRouteAddress,
  isSameAddress,
  listPrefixes,
  matchAddress,
  splitRequestPath,
} from "./address.ts";

const get = (address: string, isFolder = false): HttpRouteAddress => ({ method: "get", address, isFolder });
const text = fc.constantFrom("a", "b", "c");
const address = fc
  .array(fc.oneof(text, fc.constantFrom(":x", ":y", ":z")), { minLength: 1, maxLength: 4 })
  .chain((parts) => fc.boolean().map((rest) => (rest ? [...parts, "*rest"] : parts).join("/")));
const request = fc.array(text, { minLength: 1, maxLength: 5 });

describe("the path of a route", () => {
  it.each([
    ["shop/orders/:id", undefined],
    ["/shop/orders", undefined],
    ["files/*path", undefined],
    ["größe/café", undefined],
    ["shop//orders", "has an empty part (part 2)"],
    ["shop/", "has an empty part (part 2)"],
    [":id/x/:id", "uses the name id twice"],
    ["*rest/more", "may have '*' only in its last part, not in part 1"],
    ["shop/:", "must name part 2 with letters, digits and '_', such as :id"],
    ["shop/:a-b", "must name part 2 with letters, digits and '_', such as :id"],
    ["shop/..", "has characters that are not allowed in part 2"],
    ["shop/a%2fb", "has characters that are not allowed in part 2"],
    ["shop/a b", "has characters that are not allowed in part 2"],
    ["shop/a?b", "has characters that are not allowed in part 2"],
    [Array(21).fill("a").join("/"), "has more than 20 parts"],
  ])("%s is read", (path, problem) => {
    const parsed = parseRoutePath(path);
    expect(typeof parsed === "string" ? parsed : undefined).toBe(problem);
  });
});

describe("the match of a request", () => {
  it("prefers text to :name, and :name to *name", () => {
    const all = [get("a/*rest"), get("a/:x"), get("a/b"), get(":any/b"), get("*rest")];
    const chosen = (path: string) => {
      const choice = chooseHttpRoute(all, "get", path.split("/"));
      return "chosen" in choice ? [choice.chosen.address, choice.params] : choice;
    };
    expect(chosen("a/b")).toEqual(["a/b", {}]);
    expect(chosen("a/c")).toEqual(["a/:x", { x: "c" }]);
    expect(chosen("a/c/d")).toEqual(["a/*rest", { rest: "c/d" }]);
    expect(chosen("q/b")).toEqual([":any/b", { any: "q" }]);
    expect(chosen("q")).toEqual(["*rest", { rest: "q" }]);
  });

  it("names the other methods of an address", () => {
    const all: HttpRouteAddress[] = [get("a/:x"), { ...get("a/b"), method: "post" }, { ...get("c"), method: "put" }];
    expect(chooseHttpRoute(all, "delete", ["a", "b"])).toEqual({ allowed: ["get", "post"] });
    expect(chooseHttpRoute(all, "get", ["d"])).toEqual({ allowed: [] });
  });

  it("gives a folder every path below it that no other route matches", () => {
    const all = [get("site", true), get("site/api/:x")];
    const below = (path: string) => {
      const choice = chooseHttpRoute(all, "get", path.split("/"));
      return "chosen" in choice ? [choice.chosen.address, choice.below] : choice;
    };
    expect(below("site")).toEqual(["site", []]);
    expect(below("site/a/b")).toEqual(["site", ["a", "b"]]);
    expect(below("site/api/1")).toEqual(["site/api/:x", []]);
  });

  it("decodes each part of a path separately, and refuses empty parts", () => {
    expect(splitRequestPath("a/b%2Fc/%C3%A9/")).toEqual(["a", "b/c", "é"]);
    expect(splitRequestPath("a//b")).toBeUndefined();
    expect(splitRequestPath("a/%ff")).toBeUndefined();
    expect(splitRequestPath("")).toBeUndefined();
    expect(matchAddress(get("a/:x"), ["a", "b/c"])).toEqual({ params: { x: "b/c" }, below: [] });
  });

  it("finds the same route among the addresses with a prefix of the request as among all addresses", () => {
    fc.assert(
      fc.property(fc.uniqueArray(address, { minLength: 1, maxLength: 8 }), request, (addresses, parts) => {
        const all = addresses.map((one) => get(one));
        const near = all.filter((one) => listPrefixes(parts).includes(findTextPrefix(one)));
        expect(chooseHttpRoute(near, "get", parts)).toEqual(chooseHttpRoute(all, "get", parts));
      }),
    );
  });

  it("has one best route, unless two addresses are the same", () => {
    fc.assert(
      fc.property(address, address, request, (one, other, parts) => {
        const [a, b] = [get(one), get(other)];
        if (!matchAddress(a, parts) || !matchAddress(b, parts)) return;
        const first = chooseHttpRoute([a, b], "get", parts);
        const second = chooseHttpRoute([b, a], "get", parts);
        if (!isSameAddress(a, b)) expect(first).toEqual(second);
      }),
    );
  });

  it("two addresses are the same exactly if they match the same requests", () => {
    const requests = [1, 2, 3, 4, 5].flatMap((length) =>
      Array.from({ length: 4 ** length }, (_, n) => Array.from({ length }, (__, at) => "abcd"[Math.floor(n / 4 ** at) % 4] ?? "")),
    );
    fc.assert(
      fc.property(address, address, (one, other) => {
        const [a, b] = [get(one), get(other)];
        const matches = (route: HttpRouteAddress) => requests.map((parts) => matchAddress(route, parts) !== undefined).join();
        expect(isSameAddress(a, b)).toBe(matches(a) === matches(b));
      }),
      { numRuns: 50 },
    );
  });

  it("a folder is the same as its address and as a *name below it", () => {
    expect(isSameAddress(get("a", true), get("a"))).toBe(true);
    expect(isSameAddress(get("a", true), get("a/*x"))).toBe(true);
    expect(isSameAddress(get("a", true), get("a/:x"))).toBe(false);
    expect(isSameAddress(get("a"), { ...get("a"), method: "post" })).toBe(false);
  });
});
