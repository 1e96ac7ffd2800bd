import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const PAGE = "index.html";

/** The files of the package that the page needs, and the licences of its code. */
const LIBRARY = ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"];

/**
 * The files of the page `/docs`, compressed. All but the page have a part of their content's hash in their name, so that a browser may
 * cache them for ever; the page refers to them by these names.
 */
export function referenceFiles(root: string): Map<string, Uint8Array> {
  const sourceFolder = join(root, "functions/api/reference");
  const library = dirname(createRequire(join(root, "package.json")).resolve("swagger-ui-dist/package.json"));
  const sources = [
    ...readdirSync(sourceFolder)
      .filter((name) => name !== PAGE)
      .map((name) => join(sourceFolder, name)),
    ...LIBRARY.map((name) => join(library, name)),
  ];
  const files = new Map<string, Uint8Array>();
  let page = readFileSync(join(sourceFolder, PAGE), "utf8");
  for (const path of sources) {
    const content = readFileSync(path);
    const name = path.slice(dirname(path).length + 1);
    const named = `${name.slice(0, -extname(name).length)}.${createHash("sha256").update(content).digest("hex").slice(0, 12)}${extname(name)}`;
    files.set(`${named}.gz`, gzipSync(content, { level: 9 }));
    page = page.replaceAll(`"${name}"`, `"/docs/${named}"`);
  }
  return files.set(`${PAGE}.gz`, gzipSync(page, { level: 9 }));
}
