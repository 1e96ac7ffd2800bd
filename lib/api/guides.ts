import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, extname, join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import { Marked, type Tokens } from "marked";

/** The pages of `docs/` that users read, by subject, in the order of the navigation. The others are for developers of svc. */
export const GUIDES: Readonly<Record<string, readonly string[]>> = {
  Begin: ["console.md", "local.md", "local-development.md", "aws.md", "reverse-proxy.md", "embedding.md"],
  "Scripts and flows": ["scripts.md", "flows.md", "approvals.md", "consentgate.md", "chat.md", "notices.md", "handlers.md"],
  "Start runs": ["jobs.md", "schedules.md", "triggers.md", "http-routes.md", "openapi.md", "apps.md"],
  "Data and people": ["connections.md", "files.md", "permissions.md", "webhooks.md", "events.md"],
  Tools: ["sync.md", "clients.md", "reference/cli.md", "reference/errors.md"],
};

interface Heading {
  id: string;
  text: string;
  depth: number;
}

interface Guide {
  /** The name in the address. */
  name: string;
  title: string;
  /** The first sentence. */
  about: string;
  headings: Heading[];
  html: string;
}

/** A guide and its headings, as the command palette finds them. */
export type GuideEntry = Pick<Guide, "name" | "title"> & { headings: Pick<Heading, "id" | "text">[] };

const PAGE_ADDRESS = "/docs/guide";
const nameOf = (path: string) => basename(path, ".md");
const pathsIn = (root: string, paths: readonly string[]) => paths.filter((path) => existsSync(join(root, "docs", path)));
const allPaths = (root: string) => pathsIn(root, Object.values(GUIDES).flat());

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character);

/** The anchor of a heading, as code hosts create it: links between the Markdown files use these. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** Returns the files that the pages of the guides refer to and the pages themselves, compressed, by name. */
export function guideFiles(root: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const add = (name: string, content: string | Uint8Array) => files.set(`${name}.gz`, gzipSync(content, { level: 9 }));
  /** Adds a file that browsers keep for ever, and returns its address. */
  const addAsset = (path: string): string => {
    const content = readFileSync(path);
    const digest = createHash("sha256").update(content).digest("hex").slice(0, 12);
    const name = `guide-${basename(path, extname(path))}-${digest}${extname(path)}`;
    add(name, content);
    return `/assets/${name}`;
  };
  const style = addAsset(join(root, "lib/api/guides.css"));
  const guides = allPaths(root).map((path) => readGuide(root, path, addAsset));
  for (const guide of guides) add(`guide-${guide.name}.html`, toPage(root, style, guides, guide));
  add("guides.html", toPage(root, style, guides));
  return files;
}

/** Returns what the command palette searches. */
export const guideEntries = (root: string): GuideEntry[] =>
  allPaths(root).map((path) => {
    const { name, title, headings } = readGuide(root, path, () => "");
    return { name, title, headings: headings.filter(({ depth }) => depth > 1).map(({ id, text }) => ({ id, text })) };
  });

/** Returns the texts of the guides by section: those below a title, and those below its headings, in the order of `guideEntries`. */
export const readGuideSections = (root: string): string[] =>
  allPaths(root).flatMap((path) =>
    readGuide(root, path, () => "")
      .html.split(/<h[1-6] id="/)
      .slice(1)
      .map(plain),
  );

/** Text without marks, such as those of code. */
const plain = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity) => Object.keys(escapes).find((character) => escapes[character] === entity) ?? entity);

function readGuide(root: string, path: string, addAsset: (path: string) => string): Guide {
  const headings: Heading[] = [];
  const guide = { name: nameOf(path), title: nameOf(path), about: "" };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens);
        const text = plain(html);
        const anchor = anchorOf(text);
        const same = headings.filter(
          ({ id }) => id === anchor || (id.startsWith(`${anchor}-`) && /^-\d+$/.test(id.slice(anchor.length))),
        ).length;
        const id = same === 0 ? anchor : `${anchor}-${same}`;
        headings.push({ id, text, depth });
        if (depth === 1) {
          guide.title = text;
          return `<h1 id="${id}">${html}</h1>\n`;
        }
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to ${escaped(text)}">#</a></h${depth}>\n`;
      },
      paragraph({ tokens }: Tokens.Paragraph) {
        const html = this.parser.parseInline(tokens);
        guide.about ||= /^.*?[.:](?=\s|$)/s.exec(plain(html))?.[0].replace(/:$/, ".") ?? plain(html);
        return `<p>${html}</p>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const html = this.parser.parseInline(tokens);
        const target = addressOf(root, path, href);
        if (target === undefined) return html;
        return /^https?:/.test(target)
          ? `<a href="${escaped(target)}" rel="noopener noreferrer">${html}</a>`
          : `<a href="${escaped(target)}">${html}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const file = join(root, "docs", posix.join(posix.dirname(path), href));
        return /^\w+:/.test(href) || !existsSync(file) ? escaped(text) : `<img src="${addAsset(file)}" alt="${escaped(text)}">`;
      },
      // A reader can scroll what is wider than the page by keyboard.
      code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>\n`,
      // HTML in a text is shown as text.
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
    },
  });
  const html = String(marked.parse(readFileSync(join(root, "docs", path), "utf8"), { async: false }))
    .replaceAll("<table>", '<div class="scroll" role="group" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
  return { ...guide, headings, html };
}

/** Returns the address of a link in a guide, or `undefined` if its target is not served: a decision, or a file of the sources. */
function addressOf(root: string, path: string, href: string): string | undefined {
  if (/^https?:\/\//.test(href) || href.startsWith("#")) return href;
  const [file = "", anchor] = href.split("#");
  const target = posix.join(posix.dirname(path), file);
  if (target === "reference/routes.md") return "/docs";
  if (!allPaths(root).includes(target)) return undefined;
  return `${PAGE_ADDRESS}/${nameOf(target)}${anchor === undefined ? "" : `#${anchor}`}`;
}

/** Builds the page of a guide, or the list of all. */
function toPage(root: string, style: string, guides: readonly Guide[], shown?: Guide): string {
  const find = (path: string) => guides.find(({ name }) => name === nameOf(path));
  const groups = Object.entries(GUIDES).map(([subject, paths]) => ({
    subject,
    guides: pathsIn(root, paths).flatMap((path) => find(path) ?? []),
  }));
  const linkTo = (guide: Guide) =>
    `<a href="${PAGE_ADDRESS}/${guide.name}"${guide === shown ? ' aria-current="page"' : ""}>${escaped(guide.title)}</a>`;
  const navigation = groups
    .map(
      ({ subject, guides }) =>
        `<h2>${escaped(subject)}</h2>\n<ul>\n${guides.map((guide) => `<li>${linkTo(guide)}</li>`).join("\n")}\n</ul>`,
    )
    .join("\n");
  const list = groups
    .map(
      ({ subject, guides }) =>
        `<h2>${escaped(subject)}</h2>\n<dl>\n${guides.map((guide) => `<dt>${linkTo(guide)}</dt><dd>${escaped(guide.about)}</dd>`).join("\n")}\n</dl>`,
    )
    .join("\n");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(shown?.title ?? "Guides")} · svc</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${style}" nonce="__CSP_NONCE__" />
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header><a href="/login">svc</a> <a href="${PAGE_ADDRESS}">Guides</a> <a href="/docs">API reference</a></header>
    <main id="content" tabindex="-1">
${shown ? `${contentsOf(shown)}${shown.html}` : `<h1>Guides</h1>\n${list}`}
    </main>
${shown ? `<nav aria-label="Guides">\n${navigation}\n</nav>` : ""}
  </body>
</html>
`;
}

/** The links to the sections of a long guide. */
function contentsOf({ headings }: Guide): string {
  const sections = headings.filter(({ depth }) => depth === 2);
  if (sections.length < 4) return "";
  const links = sections.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`).join("\n");
  return `<details class="contents"><summary>On this page</summary><ul>\n${links}\n</ul></details>\n`;
}
