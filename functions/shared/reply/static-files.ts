import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { SvcError } from "../../../contract/errors.ts";
import { basePath } from "../edge/base-path.ts";
import type { Reply } from "./reply.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  png: "image/png",
};

/** The text in a built page that each reply replaces by its own nonce. */
const NONCE_PLACEHOLDER = "__CSP_NONCE__";

/**
 * The policy of a page: it can load and call only its own origin. Replies of scripts have the same origin, so the page may use only scripts and
 * styles that have the nonce of the reply, and their imports.
 */
const buildPolicy = (nonce: string, more: readonly string[]) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    ...(more.some((directive) => directive.startsWith("worker-src ")) ? [] : ["worker-src 'none'"]),
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...more,
  ].join("; ");

/** A file that a page loads is not a page, and renders nothing if it is opened. */
const FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";
/** A worker has the policy of its file. It loads nothing and calls nothing. Browsers refuse a worker in a sandbox. */
const WORKER_POLICY = "default-src 'none'; frame-ancestors 'none'";
const isWorker = (name: string) => /-worker-[\w-]+\.js$/.test(name);

export interface StaticFiles {
  /** The folder in the function's asset. Bundling compresses each file and names all but the pages after their content. */
  folder: string;
  /** Directives of the pages' policy in addition to those of every page. */
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
    const extension = name.slice(name.lastIndexOf(".") + 1);
    const type = types[extension] ?? "application/octet-stream";
    if (extension === "html") {
      const nonce = randomBytes(16).toString("base64url");
      const html = (await promisify(gunzip)(compressed)).toString("utf8");
      return {
        statusCode: 200,
        // The address of a page may contain a secret, and a nonce is used once.
        headers: { "content-type": type, "content-security-policy": buildPolicy(nonce, policy), "cache-control": "no-store", ...page },
        body: html.replaceAll(NONCE_PLACEHOLDER, nonce).replaceAll(/ (src|href)="\.?\//g, ` $1="${basePath()}/`),
      };
    }
    const asIs = /\bgzip\b/.test(acceptEncoding);
    return {
      statusCode: 200,
      headers: {
        "content-type": type,
        "content-security-policy": isWorker(name) ? WORKER_POLICY : FILE_POLICY,
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding",
        ...(asIs ? { "content-encoding": "gzip" } : {}),
      },
      body: (asIs ? compressed : await promisify(gunzip)(compressed)).toString("base64"),
      isBase64Encoded: true,
    };
  };
}
