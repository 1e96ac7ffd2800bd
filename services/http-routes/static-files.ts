import { actions } from "../../contract/access/actions.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { FileStorage } from "../../contract/routes/workspaces/setting-schemas.ts";
import { fileObjectKey } from "../../core/files/file-key.ts";
import { resolveStorageLocation } from "../../core/files/storage-location.ts";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import {
  buildDisposition,
  chooseLinkHeaders,
  findContentType,
  findStaticPlace,
  isAmbiguousPath,
  listFileKeys,
  parseRange,
  type StaticPlace,
} from "../../core/http-routes/static.ts";
import type { Actor } from "../../core/people/actor.ts";
import { matchesEtag } from "../../core/reply/etag.ts";
import type { StoredContent } from "../../ports/file-store.ts";
import { permitStackFile } from "../files/files.ts";
import { loadFileStorage } from "../settings/file-storage.ts";
import type { Uses } from "../uses.ts";
import type { HttpRouteRequest } from "./run-http-route.ts";

/** A response in the form of API Gateway. */
export interface StaticAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: boolean;
}

/** The validity of a link to a file that is too large for a reply, in seconds. */
const LINK_S = 300;

/**
 * Answers a request for a file of the workspace's storage, which is read with the rights of the route's user. Throws `httpRoute.unknown` for every
 * file that does not exist, that this user may not read, or that lies outside the configured folder.
 */
export async function answerStatic(
  deps: Uses<"jobs" | "objects" | "storage">,
  found: FoundHttpRoute,
  request: Pick<HttpRouteRequest, "method" | "path" | "payload">,
): Promise<StaticAnswer> {
  const unknown = () => new SvcError("httpRoute.unknown", {});
  const { actor, fields, workspace } = found;
  const staticFiles = findStaticPlace(fields);
  if (!staticFiles || !actor || actor.workspaceState || isAmbiguousPath(request.path)) throw unknown();
  const setting = await loadFileStorage(deps.objects, workspace);
  for (const fileKey of listFileKeys(staticFiles, found.below, request.path.endsWith("/"))) {
    const file = await openReadableFile(deps, { actor, workspace, staticFiles, fileKey }, setting);
    if (file) return answerFile(deps, { found, staticFiles, fileKey, ...file }, request);
  }
  throw unknown();
}

/** The error codes of refused files. All of them lead to the same reply, so that no caller learns whether the file exists. */
const HIDDEN = new Set(["file.key", "file.notFound", "file.storage", "file.storageOff", "auth.forbidden", "workspace.notFound"]);

async function openReadableFile(
  { jobs, storage }: Uses<"jobs" | "storage">,
  { actor, workspace, staticFiles, fileKey }: { actor: Actor; workspace: string; staticFiles: StaticPlace; fileKey: string },
  setting: FileStorage | undefined,
): Promise<{ key: string; content: StoredContent } | undefined> {
  try {
    // The storage may have changed since the route was saved. This function can open no other one.
    if (resolveStorageLocation(setting, staticFiles).kind !== "stack") return undefined;
    const key = fileObjectKey(workspace, fileKey);
    await permitStackFile({ jobs }, { actor, action: actions.downloadFile, workspace }, fileKey);
    const content = await storage.openObject(key);
    return content && { key, content };
  } catch (error) {
    if (isSvcError(error) && HIDDEN.has(error.code)) return undefined;
    throw error;
  }
}

interface OpenFile {
  found: FoundHttpRoute;
  staticFiles: StaticPlace;
  fileKey: string;
  key: string;
  content: StoredContent;
}

async function answerFile(
  { storage }: Uses<"storage">,
  { found, staticFiles, fileKey, key, content }: OpenFile,
  { method, payload }: Pick<HttpRouteRequest, "method" | "payload">,
): Promise<StaticAnswer> {
  const { etag, bytes } = content;
  const { headers: requestHeaders } = payload;
  const filename = staticFiles.isFolder ? undefined : staticFiles.filename;
  const isPublic = found.fields.authentication_method === "none";
  // A copy is used only after its ETag was compared, because a file may change, and with it the rights to read it.
  const shared = { etag, "cache-control": isPublic ? "no-cache" : "private, no-cache", "x-content-type-options": "nosniff" };
  const empty = (statusCode: number, headers: Record<string, string>) => {
    content.discard();
    return { statusCode, headers, body: "" };
  };
  if (matchesEtag(requestHeaders["if-none-match"], etag)) return empty(304, shared);
  if (bytes > limits.syncReplyBytes) {
    const location = await storage.createDownloadUrl(key, LINK_S, chooseLinkHeaders(fileKey, filename));
    return empty(302, { location, "cache-control": "no-store", "x-content-type-options": "nosniff" });
  }
  const headers = {
    ...shared,
    "content-type": findContentType(fileKey),
    "accept-ranges": "bytes",
    ...(filename ? { "content-disposition": buildDisposition("inline", filename) } : {}),
  };
  if (method === "HEAD") return empty(200, headers);
  // Otherwise parts of two versions of the file could be mixed.
  const isSameVersion = requestHeaders["if-range"] === undefined || requestHeaders["if-range"] === etag;
  const range = isSameVersion ? parseRange(requestHeaders["range"], bytes) : undefined;
  if (range === "unsatisfiable") return empty(416, { ...shared, "content-range": `bytes */${bytes}` });
  const body = await content.read();
  if (!range) return { statusCode: 200, headers, body: body.toString("base64"), isBase64Encoded: true };
  return {
    statusCode: 206,
    headers: { ...headers, "content-range": `bytes ${range.from}-${range.to}/${bytes}` },
    body: body.subarray(range.from, range.to + 1).toString("base64"),
    isBase64Encoded: true,
  };
}
