import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { webFiles } from "../lib/api/web.ts";

const files = webFiles(join(import.meta.dirname, ".."));
const sizeOf = (wanted: RegExp) => [...files].filter(([name]) => wanted.test(name)).reduce((sum, [, content]) => sum + content.length, 0);
const textOf = (name: string) => gunzipSync(files.get(name) ?? new Uint8Array()).toString();

/** The files that a chunk imports when it is loaded, and their imports. A chunk that is imported on demand does not count. */
function importsOf(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  const text = textOf(`${name}.gz`);
  for (const [, file = ""] of text.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g)) importsOf(file, seen);
  return seen;
}
const nameOf = (wanted: RegExp) => [...files.keys()].find((name) => wanted.test(name))?.replace(/\.gz$/, "") ?? "";
/** The style sheets that the script of the console loads together with a chunk. It lists the files of each import by their numbers. */
function stylesOf(chunk: string): string[] {
  const main = textOf(`${nameOf(/^console-main-/)}.gz`);
  const [, list = ""] = /m\.f=\[([^\]]*)\]/.exec(main) ?? [];
  const names = [...list.matchAll(/"\.\/([^"]+)"/g)].map(([, name = ""]) => name);
  const [, numbers = ""] = new RegExp(`${chunk.replaceAll(".", "\\.")}\`\\),__vite__mapDeps\\(\\[([\\d,]*)\\]`).exec(main) ?? [];
  const numbered = numbers.split(",").map((number) => names[Number(number)] ?? "");
  return numbered.filter((name) => name.endsWith(".css"));
}
const stylesOfAll = [...textOf("console.html.gz").matchAll(/href="[^"]*\/([\w.-]+\.css)"/g)].map(([, name = ""]) => name);

/** The bytes of all files that a browser loads for a page of the console. */
function bytesOfConsole(...pages: RegExp[]): number {
  const chunks = pages.map(nameOf);
  const scripts = [nameOf(/^console-main-/), ...chunks].flatMap((name) => [...importsOf(name)]);
  const styles = [...stylesOfAll, ...chunks.flatMap(stylesOf)];
  return [...new Set([...scripts, ...styles])].reduce((sum, name) => sum + (files.get(`${name}.gz`)?.length ?? 0), 0);
}

describe("the console", () => {
  it("loads the style sheet of a page with the page", () => {
    expect(stylesOfAll).toHaveLength(1);
    expect(stylesOf(nameOf(/^console-variables-/))).toHaveLength(1);
    expect(stylesOf(nameOf(/^console-runs-/))).toEqual([]);
  });

  it("loads at most 260 KB to show Home or Runs, and 90 KB more to show a run", () => {
    const runs = bytesOfConsole(/^console-runs-/);
    expect(runs).toBeGreaterThan(50_000);
    expect(runs).toBeLessThan(260_000);
    expect(bytesOfConsole(/^console-home-/)).toBeLessThan(260_000);
    expect(bytesOfConsole(/^console-runs-/, /^console-run-[\w-]{8}\.js/) - runs).toBeLessThan(90_000);
  });

  it("loads at most 300 KB more for the flow editor, with its graph and without the editor of code", () => {
    const frame = bytesOfConsole(/^console-runs-/);
    const editor = bytesOfConsole(/^console-runs-/, /^console-flow-editor-/, /^console-flow-graph-/) - frame;
    expect(editor).toBeGreaterThan(60_000);
    expect(editor).toBeLessThan(300_000);
  });

  it("loads the headings of the guides, and at most 60 KB to search their texts, for the command palette", () => {
    expect(sizeOf(/^console-entries-/)).toBeGreaterThan(2_000);
    expect(sizeOf(/^console-words-/)).toBeGreaterThan(10_000);
    expect(sizeOf(/^console-words-/)).toBeLessThan(60_000);
  });

  it("loads at most 320 KB more than the frame to edit a script", () => {
    const frame = bytesOfConsole();
    const editor = bytesOfConsole(/^console-script-editor-/, /^console-code-editor-/, /^console-run-form-/, /^console-waited-run-/);
    expect(editor - frame).toBeGreaterThan(100_000);
    expect(editor - frame).toBeLessThan(320_000);
    expect(sizeOf(/^console-signature-worker-/)).toBeGreaterThan(10_000);
    expect(sizeOf(/^console-signature-worker-/)).toBeLessThan(150_000);
  });

  it("loads at most 2.3 MB for the types of scripts, in a worker", () => {
    const worker = nameOf(/^console-types-worker-/);
    const bytes = sizeOf(/^console-(types-worker|type-files)-/);
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(2_300_000);
    // No page waits for it: only the worker refers to TypeScript.
    const others = [...files.keys()].filter((name) => name.endsWith(".js.gz") && name !== `${worker}.gz`);
    for (const name of others) expect(textOf(name).includes("createLanguageService"), name).toBe(false);
  });

  it("loads the form, the source and the comparison of a script on demand", () => {
    const first = bytesOfConsole(/^console-runnable-/);
    expect(first).toBeGreaterThan(50_000);
    // The frame and its table of operations grow with each page of the console. Home and Runs have the limit that users notice.
    expect(first).toBeLessThan(275_000);
    expect(bytesOfConsole(/^console-runnable-/, /^console-run-form-/) - first).toBeLessThan(110_000);
    const comparison = bytesOfConsole(/^console-runnable-/, /^console-code-view-/, /^console-diff-view-/) - first;
    expect(comparison).toBeGreaterThan(50_000);
    expect(comparison).toBeLessThan(200_000);
  });
});

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
    const ofPages = /^(approve|device|form|place-map|rich|shared|rolldown-runtime)[.-]/;
    const names = [...files.keys()].filter((name) => ofPages.test(name));
    expect(names.map((name) => name.replace(/-[\w-]{8}\./, "-#.")).sort()).toEqual([
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
    for (const page of ["approve.html.gz", "device.html.gz", "console.html.gz"]) {
      expect(textOf(page)).not.toMatch(/<script(?![^>]* src="\.\/assets\/)|<style|\son\w+=| style=|https?:/);
    }
    for (const name of files.keys()) if (name.includes(".css")) expect(textOf(name)).not.toMatch(/@import|url\(["']?(https?:)?\/\//);
  });

  it("the pages name each script and style with the nonce that a reply replaces", () => {
    for (const page of ["approve.html.gz", "device.html.gz", "console.html.gz"]) {
      const tags =
        textOf(page)
          .match(/<(script|link)\b[^>]*>/g)
          ?.filter((tag) => !tag.includes('rel="icon"')) ?? [];
      expect(tags.length).toBeGreaterThan(1);
      for (const tag of tags) expect(tag).toContain('nonce="__CSP_NONCE__"');
    }
  });

  it("the pages create no code from text", () => {
    // The declarations of types are texts, and describe such functions.
    const scripts = [...files.keys()].filter((name) => name.includes(".js") && !name.startsWith("console-type-files-"));
    for (const name of scripts) expect(/.{0,40}(new Function\(|\beval\().{0,40}/.exec(textOf(name))?.[0], name).toBeUndefined();
  });
});
