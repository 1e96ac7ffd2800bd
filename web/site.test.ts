import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { webFiles } from "../lib/api/web.ts";

const files = webFiles(join(import.meta.dirname, ".."));
const sizeOf = (wanted: RegExp) => [...files].filter(([name]) => wanted.test(name)).reduce((sum, [, content]) => sum + content.length, 0);
const textOf = (name: string) => gunzipSync(files.get(name) ?? new Uint8Array()).toString();

describe("the built approval page", () => {
  it("the page loads less than 200 KB, including a form", () => {
    const first = sizeOf(/^approve[.-]/);
    const withForm = first + sizeOf(/^form-/);
    expect(first).toBeGreaterThan(20_000);
    expect(first).toBeLessThan(130_000);
    expect(withForm).toBeLessThan(200_000);
  });

  it("the page loads the code for texts and maps only if it shows some", () => {
    expect([...files.keys()].map((name) => name.replace(/-[\w-]{8}\./, "-#.")).sort()).toEqual([
      "approve-#.css.gz",
      "approve-#.js.gz",
      "approve.html.gz",
      "form-#.js.gz",
      "place-map-#.js.gz",
      "rich-#.js.gz",
    ]);
  });

  it("the page has no inline script and no inline style, and names nothing of another origin", () => {
    const html = textOf("approve.html.gz");
    expect(html).not.toMatch(/<script(?![^>]* src="\/assets\/)|<style|\son\w+=| style=|https?:/);
    for (const name of files.keys()) if (name.includes(".css")) expect(textOf(name)).not.toMatch(/@import|url\(["']?(https?:)?\/\//);
  });

  it("the page creates no code from text", () => {
    for (const name of files.keys()) if (name.includes(".js")) expect(textOf(name)).not.toMatch(/new Function\(|\beval\(/);
  });
});
