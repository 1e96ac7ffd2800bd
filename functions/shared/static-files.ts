import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { SvcError } from "../../contract/errors.ts";
import type { Reply } from "./reply.ts";

const types: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript", txt: "text/plain" };

/** The policy of every page: it can load and call nothing but its own origin. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

export interface StaticFiles {
  /** The folder in the function's asset. Bundling compresses each file and names all but the pages after their content. */
  folder: string;
  policy: readonly string[];
  /** Additional headers of the pages. */
  page: Readonly<Record<string, string>>;
}

/**
 * Creates a function that returns a file by its name. An absent file is reported as an unknown `path`. Files are read on demand, so that
 * other routes of the same function start no slower. Throws `route.unknown`.
 */
export function staticFiles({ folder, policy, page }: StaticFiles) {
  let names: ReadonlySet<string> | undefined;
  return async (name: string, path: string, acceptEncoding = ""): Promise<Reply> => {
    names ??= new Set(readdirSync(folder));
    if (!names.has(`${name}.gz`)) throw new SvcError("route.unknown", { method: "GET", path });
    const compressed = await readFile(join(folder, `${name}.gz`));
    const asIs = /\bgzip\b/.test(acceptEncoding);
    const extension = name.slice(name.lastIndexOf(".") + 1);
    return {
      statusCode: 200,
      headers: {
        "content-type": `${types[extension] ?? "application/octet-stream"}; charset=utf-8`,
        "content-security-policy": policy.join("; "),
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...(asIs ? { "content-encoding": "gzip" } : {}),
        ...(extension === "html" ? page : {}),
      },
      body: (asIs ? compressed : await promisify(gunzip)(compressed)).toString("base64"),
      isBase64Encoded: true,
    };
  };
}
