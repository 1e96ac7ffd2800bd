import mime from "mime";
import type { HttpFields } from "../../contract/routes/triggers/http-fields.ts";
import { findFileJob, parseFile } from "../files/file-key.ts";
import { removeTrailing } from "../patterns/remove-trailing.ts";

type StaticFields = Pick<HttpFields, "is_static_website" | "static_asset_config">;

/** The file or folder that a static route serves. `root` has no slash at its end. */
export interface StaticPlace {
  root: string;
  storage: string | undefined;
  isFolder: boolean;
  filename: string | undefined;
}

/** Returns the file or folder of a static route, or `undefined` for a route that runs a script. */
export function findStaticPlace({ static_asset_config: config, is_static_website: isFolder }: StaticFields): StaticPlace | undefined {
  if (!config) return undefined;
  const { fileKey, storage } = parseFile(config.s3, config.storage || undefined);
  return { root: isFolder ? removeTrailing(fileKey, "/") : fileKey, storage, isFolder, filename: config.filename || undefined };
}

/**
 * Returns whether a path in its sent form has a slash, a backslash, a percent sign or a control character in encoded form, an empty part, or a
 * part `.` or `..`. Servers and proxies read such paths in different ways, so no file has one.
 */
export function isAmbiguousPath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no path contains them
  if (/%(?:2f|5c|25|7f|[01][0-9a-f])|[\u0000-\u001f\u007f\\]|\/\//i.test(path)) return true;
  return path.split("/").some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
}

/**
 * Returns the keys of the files that can answer a request, the best first: the file itself, the `index.html` of a folder, and that of the whole
 * website. `below` has the decoded parts of the request below the route's address.
 */
export function listFileKeys({ root, isFolder }: StaticPlace, below: readonly string[], endsWithSlash: boolean): string[] {
  if (!isFolder) return below.length === 0 ? [root] : [];
  // A decoded part with a slash or a parent folder would name a file elsewhere.
  if (below.some((part) => part === "" || part === "." || part === ".." || /[/\\]/.test(part))) return [];
  const requested = [root, ...below].join("/");
  const index = `${root}/index.html`;
  const keys = endsWithSlash || below.length === 0 ? [`${requested}/index.html`, index] : [requested, `${requested}/index.html`, index];
  // A folder of the workspace's files contains no files of jobs, even if its name is that of the jobs' folder.
  const job = findFileJob(index);
  return [...new Set(keys)].filter((key) => findFileJob(key) === job);
}

/** The content type of a file, by its extension. */
export function findContentType(fileKey: string): string {
  const type = mime.getType(fileKey) ?? "application/octet-stream";
  return type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}

/**
 * Returns the headers with which the bucket itself answers a signed link. Its origin sends no sandbox policy, so everything that could contain a
 * script is a download.
 */
export function chooseLinkHeaders(fileKey: string, filename: string | undefined): { contentType: string; contentDisposition: string } {
  const contentType = findContentType(fileKey);
  const isInert = /^(?:image|audio|video|font)\//.test(contentType) && !/[+/]xml|svg/.test(contentType);
  const name = filename ?? fileKey.split("/").at(-1) ?? "file";
  return isInert
    ? { contentType, contentDisposition: buildDisposition("inline", name) }
    : { contentType: "application/octet-stream", contentDisposition: buildDisposition("attachment", name) };
}

/** Returns a `Content-Disposition` with a file name of any characters (RFC 6266). */
export function buildDisposition(how: "inline" | "attachment", filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${how}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * Returns the bytes of a `Range`, both ends included. Returns `undefined` for the whole file: several ranges and other units are ignored, as RFC
 * 9110 §14.2 allows.
 */
export function parseRange(range: string | undefined, bytes: number): { from: number; to: number } | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const from = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const to = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  return from > to ? "unsatisfiable" : { from, to };
}
