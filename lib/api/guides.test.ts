import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { findSections } from "../../web/src/console/data/guides/search.ts";
import { guideWords } from "./guide-words.ts";
import { anchorOf, GUIDES, guideEntries, guideFiles, readGuideSections } from "./guides.ts";

const root = join(import.meta.dirname, "../..");
const files = guideFiles(root);
const textOf = (name: string) => gunzipSync(files.get(`${name}.gz`) ?? new Uint8Array()).toString();
const pages = [...files.keys()].filter((name) => name.endsWith(".html.gz")).map((name) => name.replace(/\.gz$/, ""));
const guides = guideEntries(root);
const listed = Object.values(GUIDES).flat();

/** The pages for developers of svc. */
const FOR_DEVELOPERS = ["architecture.md", "how-to-change.md", "limitations.md", "performance.md", "security.md", "testing.md"];

describe("the guides", () => {
  it("contain each page of docs, except those for developers", () => {
    const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
    expect(names.filter((name) => !listed.includes(name)).sort()).toEqual(FOR_DEVELOPERS);
  });

  it("have distinct names in their addresses", () => {
    const names = guides.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(["flows", "cli", "errors"]));
  });

  it("link only to pages and headings that exist, to the API reference and to other sites", () => {
    const idsOf = (page: string) => new Set([...textOf(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const broken = pages.flatMap((page) =>
      [...textOf(page).matchAll(/ href="([^"]+)"/g)].flatMap(([, address = ""]) => {
        if (/^(https:\/\/|http:\/\/|data:,|\/assets\/guide-|\/docs$|\/docs\/guide$|\/login$)/.test(address)) return [];
        const [path = "", id] = address.split("#");
        const target = path === "" ? page : `guide-${path.replace(/^\/docs\/guide\//, "")}.html`;
        return pages.includes(target) && (id === undefined || idsOf(target).has(id)) ? [] : [`${page}: ${address}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it("contain no script, no style and no HTML of a text", () => {
    for (const page of pages) expect(textOf(page)).not.toMatch(/<script|<style|<iframe|\son\w+=| style=/);
    expect(textOf("guide-flows.html")).toContain("&lt;");
  });

  it("name their style with the nonce that a reply replaces", () => {
    for (const page of pages) {
      const [, address = ""] = /<link rel="stylesheet" href="\/assets\/([^"]+)" nonce="__CSP_NONCE__" \/>/.exec(textOf(page)) ?? [];
      expect(files.has(`${address}.gz`)).toBe(true);
    }
  });

  it("are listed by subject, each with its first sentence", () => {
    const list = textOf("guides.html");
    for (const { name } of guides) expect(list).toContain(`href="/docs/guide/${name}"`);
    expect(list.match(/<dd><\/dd>/g)).toBeNull();
  });

  it("show which guide is open", () => {
    expect(textOf("guide-flows.html")).toContain('<a href="/docs/guide/flows" aria-current="page">Flows</a>');
  });
});

describe("anchorOf", () => {
  it("returns the anchor that a code host gives to a heading", () => {
    expect(anchorOf("What the script receives")).toBe("what-the-script-receives");
    expect(anchorOf("`svc audit` and more (a)")).toBe("svc-audit-and-more-a");
  });
});

describe("guideEntries", () => {
  it("returns the headings of each guide", () => {
    const flows = guides.find(({ name }) => name === "flows");
    expect(flows?.title).toBe("Flows");
    const headings = readFileSync(join(root, "docs/flows.md"), "utf8")
      .replaceAll(/^```[\s\S]*?^```/gm, "")
      .match(/^##+ /gm);
    expect(flows?.headings.length).toBe(headings?.length);
  });
});

describe("guideWords", () => {
  const sections = guides.flatMap(({ name, headings }) => [name, ...headings.map(({ id }) => `${name}#${id}`)]);

  it("has a section for each title and heading of guideEntries", () => {
    expect(readGuideSections(root).length).toBe(sections.length);
  });

  it("finds a section by words of its text, also by their beginnings", () => {
    const words = guideWords(root);
    const find = (text: string) => findSections(words, text).map((section) => sections[section]);
    expect(find("revocat wait")).toEqual([]);
    expect(find("terminals shows colours search")).toEqual(["console#a-run"]);
    expect(find("Search engines list")).toContain("console#share-a-run");
  });
});
