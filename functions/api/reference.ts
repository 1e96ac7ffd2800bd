import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { SvcError } from "../../contract/errors.ts";
import { instanceRoutes as routes } from "../../contract/routes/instance.ts";
import { on } from "../shared/edge.ts";
import type { Reply } from "../shared/reply.ts";
import type { ApiRoutes } from "./collaborators.ts";

/** In the function's asset, put there by `lib/reference.ts`: each file compressed, and named after its content but for the page itself. */
const folder = join(import.meta.dirname, "reference");
const PAGE = "index.html";

const types: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript", txt: "text/plain" };

/** Nothing that is not ours can be loaded or called, whatever the page's library is told by the document that it shows. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

let names: ReadonlySet<string> | undefined;

/** Read from disk when it is asked for: who calls the API pays nothing for the page. */
async function file(name: string, path: string, acceptEncoding = ""): Promise<Reply> {
  names ??= new Set(readdirSync(folder));
  if (!names.has(`${name}.gz`)) throw new SvcError("route.unknown", { method: "GET", path });
  const compressed = await readFile(join(folder, `${name}.gz`));
  const asIs = /\bgzip\b/.test(acceptEncoding);
  return {
    statusCode: 200,
    headers: {
      "content-type": `${types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"}; charset=utf-8`,
      "content-security-policy": POLICY,
      "cache-control": name === PAGE ? "no-cache" : "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(asIs ? { "content-encoding": "gzip" } : {}),
    },
    body: (asIs ? compressed : await promisify(gunzip)(compressed)).toString("base64"),
    isBase64Encoded: true,
  };
}

export const reference: ApiRoutes = [
  on(routes.reference, ({ headers }) => file(PAGE, routes.reference.path, headers["accept-encoding"])),
  on(routes.referenceFile, ({ params, headers }) => file(params.file, `/docs/${params.file}`, headers["accept-encoding"])),
];
