import { expect, it } from "vitest";
import { scriptOf } from "./new-version.ts";

it("the version of a page is the address of its script", () => {
  expect(scriptOf('<head><script type="module" nonce="a" crossorigin src="/assets/console-1a2b.js"></script></head>')).toBe(
    "/assets/console-1a2b.js",
  );
  expect(scriptOf("<p>not found</p>")).toBeUndefined();
});
