import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { guideEntries } from "../lib/api/guides.ts";

const folder = join(import.meta.dirname, "src/console");
const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".tsx"));
const sources = await Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") })));

/** The addresses of the guides and of their headings, as a page names them. */
const addresses = new Set(
  guideEntries(join(import.meta.dirname, "..")).flatMap(({ name, headings }) => [name, ...headings.map(({ id }) => `${name}#${id}`)]),
);

/** The opening tags of a component, in a source. */
const tagsOf = (text: string, component: string) =>
  [...text.matchAll(new RegExp(`<${component}\\b(?:[^>]|=>)*>`, "g"))].map(([tag]) => tag);

it("every guide that a page of the console names exists, with its heading", () => {
  const linked = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/\bguide=(?:"([^"]+)"|\{([^}]+)\})/g)].flatMap(([, literal, expression = ""]) =>
      [...(literal === undefined ? [] : [literal]), ...[...expression.matchAll(/"([^"]+)"/g)].map(([, quoted = ""]) => quoted)].map(
        (guide) => ({ name, guide }),
      ),
    ),
  );
  expect(linked.length).toBeGreaterThan(25);
  expect(linked.filter(({ guide }) => !addresses.has(guide))).toEqual([]);
});

it("the guides of failures without another one exist, with their headings", () => {
  expect(["errors", "console#if-something-fails"].filter((guide) => !addresses.has(guide))).toEqual([]);
});

it("every empty state, every hint, and every failure and panel that is a page names its guide", () => {
  const ofPage = (name: string) => /^(frame|pages\/[\w-]+)\/(page|page-failed|frame)\.tsx$/.test(name);
  const without = sources.flatMap(({ name, text }) =>
    [...tagsOf(text, "Empty"), ...tagsOf(text, "Hint"), ...(ofPage(name) ? [...tagsOf(text, "Panel"), ...pageFailures(text)] : [])]
      .filter((tag) => !tag.includes("guide="))
      .map((tag) => `${name}: ${tag}`),
  );
  expect(without).toEqual([]);
});

/** The failures that replace a page: those that can be tried again. */
const pageFailures = (text: string) => tagsOf(text, "Failed").filter((tag) => tag.includes("onRetry"));
