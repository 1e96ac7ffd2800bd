import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../test/builders/any-text.ts";
import { checkFileKey, fileObjectKey } from "../files/file-key.ts";
import { matchesEtag } from "../reply/etag.ts";
import { splitRequestPath } from "./address.ts";
import {
  buildDisposition,
  chooseLinkHeaders,
  findContentType,
  findStaticPlace,
  isAmbiguousPath,
  listFileKeys,
  parseRange,
} from "./static.ts";

const folder = { root: "f/site", storage: undefined, isFolder: true, filename: undefined };

describe("the key of a static file", () => {
  it("is that of the file, then of the index of its folder, then of the index of the website", () => {
    expect(listFileKeys(folder, ["a", "b.js"], false)).toEqual(["f/site/a/b.js", "f/site/a/b.js/index.html", "f/site/index.html"]);
    expect(listFileKeys(folder, ["a"], true)).toEqual(["f/site/a/index.html", "f/site/index.html"]);
    expect(listFileKeys(folder, [], false)).toEqual(["f/site/index.html"]);
    expect(listFileKeys({ ...folder, isFolder: false }, [], false)).toEqual(["f/site"]);
    expect(listFileKeys({ ...folder, isFolder: false }, ["b"], false)).toEqual([]);
  });

  it("lies below the configured folder for every path that a caller can send", () => {
    const part = fc.oneof(
      fc.string({ maxLength: 6 }),
      anyText({ maxLength: 4 }).map(encodeURIComponent),
      fc.constantFrom("..", ".", "%2e%2e", "%2E.", "..%2f", "%5c..", "%252e%252e", "a", "", "%00", "..;", "\\..", "short", "jobs"),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const path = ["pages", ...parts].join("/");
        const decoded = isAmbiguousPath(path) ? undefined : splitRequestPath(path);
        for (const key of decoded ? listFileKeys(folder, decoded.slice(1), path.endsWith("/")) : []) {
          let objectKey: string;
          try {
            checkFileKey(key);
            objectKey = fileObjectKey("w", key);
          } catch {
            continue;
          }
          expect(objectKey.startsWith("files/w/f/site/")).toBe(true);
          expect(objectKey.split("/")).not.toContain("..");
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("is never that of a job's file if the folder is not the folder of that job", () => {
    const job = "3f2b8c1e-0000-4000-8000-000000000001";

    const place = { ...folder, root: "jobs" };
    expect(listFileKeys(place, [job, "result.txt"], false)).toEqual([`jobs/index.html`]);
    const own = { ...folder, root: `jobs/${job}` };
    expect(listFileKeys(own, ["a.txt"], false)[0]).toBe(`jobs/${job}/a.txt`);
  });

  it("follows from the short form of a file, with or without a slash at the end of a folder", () => {
    const place = findStaticPlace({ is_static_website: true, static_asset_config: { s3: "s3://_stack_/f/site/" } });
    expect(place).toMatchObject({ root: "f/site", storage: "_stack_", isFolder: true });
    expect(findStaticPlace({ is_static_website: false, static_asset_config: null })).toBeUndefined();
  });
});

it.each(["a/../b", "a/%2e%2e/b", "a%2fb", "a%5Cb", "a%252fb", "a//b", "a\\b", "a%00", "a%0d", "a\u0001", "a/./b", "a/.."])(
  "the path %j is ambiguous",
  (path) => {
    expect(isAmbiguousPath(path)).toBe(true);
  },
);

it("dots in names, spaces and letters of any language are unambiguous", () => {
  expect(["a..b", "a/.well-known/x", "a%20b", "%C3%BC.html", "a/"].filter(isAmbiguousPath)).toEqual([]);
});

it.each([
  [undefined, undefined],
  ["bytes=0-0", { from: 0, to: 0 }],
  ["bytes=5-", { from: 5, to: 9 }],
  ["bytes=-3", { from: 7, to: 9 }],
  ["bytes=-30", { from: 0, to: 9 }],
  ["bytes=2-99", { from: 2, to: 9 }],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=5-2", undefined],
  ["bytes=0-1,3-4", undefined],
  ["bytes=-", undefined],
  ["lines=0-1", undefined],
] as const)("the range %s of ten bytes is %j", (range, expected) => {
  expect(parseRange(range, 10)).toEqual(expected);
});

it("an ETag is compared with each one of a list, and weak ETags match", () => {
  expect(matchesEtag('W/"a", "b"', '"a"')).toBe(true);
  expect(matchesEtag("*", '"a"')).toBe(true);
  expect([matchesEtag('"c"', '"a"'), matchesEtag(undefined, '"a"')]).toEqual([false, false]);
});

it("the content type follows from the extension", () => {
  expect(["a/index.html", "a.JS", "a.woff2", "a.svg", "a"].map(findContentType)).toEqual([
    "text/html; charset=utf-8",
    "text/javascript; charset=utf-8",
    "font/woff2",
    "image/svg+xml",
    "application/octet-stream",
  ]);
});

it("a signed link renders only what contains no script", () => {
  const typeOf = (key: string) => chooseLinkHeaders(key, undefined);
  expect(typeOf("a/film.mp4")).toMatchObject({ contentType: "video/mp4", contentDisposition: expect.stringMatching(/^inline/) });
  for (const key of ["a.html", "a.svg", "a.xml", "a.pdf", "a.xhtml", "a.js", "a"]) {
    expect(typeOf(key)).toMatchObject({
      contentType: "application/octet-stream",
      contentDisposition: expect.stringMatching(/^attachment/),
    });
  }
});

it("a file name cannot add to the header that contains it", () => {
  expect(buildDisposition("inline", 'a"b\r\nX: ü.txt')).toBe(
    "inline; filename=\"a_b__X: _.txt\"; filename*=UTF-8''a%22b%0D%0AX%3A%20%C3%BC.txt",
  );
});
