import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { SvcError } from "../../contract/errors.ts";
import type { Reply } from "./reply.ts";

const types: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript", txt: "text/plain" };

/** What every page of ours allows: nothing that is not ours can be loaded or called. */
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
  /** In the function's asset, put there when it is bundled: each file compressed, and named after its content but for the pages. */
  folder: string;
  policy: readonly string[];
  /** Headers of the pages, beyond those of every file. */
  page: Readonly<Record<string, string>>;
}

/**
 * Answers with a file by its name; what is not there is answered as an unknown `path`. Read from disk when it is asked for: who calls something
 * else of the same function pays nothing for it.
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
