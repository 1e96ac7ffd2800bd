import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { webFiles } from "../lib/api/web.ts";

const files = webFiles(join(import.meta.dirname, ".."));
const sizeOf = (wanted: RegExp) => [...files].filter(([name]) => wanted.test(name)).reduce((sum, [, content]) => sum + content.length, 0);
const textOf = (name: string) => gunzipSync(files.get(name) ?? new Uint8Array()).toString();

describe("the built pages", () => {
  it("the approval page loads less than 200 KB, including a form", () => {
    const first = sizeOf(/^(approve|shared|rolldown-runtime)[.-]/);
    const withForm = first + sizeOf(/^form-/);
    expect(first).toBeGreaterThan(20_000);
    expect(first).toBeLessThan(130_000);
    expect(withForm).toBeLessThan(200_000);
  });

  it("the page for devices loads less than 130 KB", () => {
    const first = sizeOf(/^(device|shared|rolldown-runtime)[.-]/);
    expect(first).toBeGreaterThan(20_000);
    expect(first).toBeLessThan(130_000);
  });

  it("the approval page loads the code for texts and maps only if it shows some", () => {
    expect([...files.keys()].map((name) => name.replace(/-[\w-]{8}\./, "-#.")).sort()).toEqual([
      "approve-#.js.gz",
      "approve.html.gz",
      "device-#.js.gz",
      "device.html.gz",
      "form-#.js.gz",
      "place-map-#.js.gz",
      "rich-#.js.gz",
      "rolldown-runtime-#.js.gz",
      "shared-#.css.gz",
      "shared-#.js.gz",
    ]);
  });

  it("the pages have no inline script and no inline style, and name nothing of another origin", () => {
    for (const page of ["approve.html.gz", "device.html.gz"]) {
      expect(textOf(page)).not.toMatch(/<script(?![^>]* src="\.\/assets\/)|<style|\son\w+=| style=|https?:/);
    }
    for (const name of files.keys()) if (name.includes(".css")) expect(textOf(name)).not.toMatch(/@import|url\(["']?(https?:)?\/\//);
  });

  it("the pages name each script and style with the nonce that a reply replaces", () => {
    for (const page of ["approve.html.gz", "device.html.gz"]) {
      const tags =
        textOf(page)
          .match(/<(script|link)\b[^>]*>/g)
          ?.filter((tag) => !tag.includes('rel="icon"')) ?? [];
      expect(tags.length).toBeGreaterThan(2);
      for (const tag of tags) expect(tag).toContain('nonce="__CSP_NONCE__"');
    }
  });

  it("the pages create no code from text", () => {
    for (const name of files.keys()) if (name.includes(".js")) expect(textOf(name)).not.toMatch(/new Function\(|\beval\(/);
  });
});
