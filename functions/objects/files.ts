import type { TokenRoute } from "../../contract/route.ts";
import { fileRoutes as routes } from "../../contract/routes/stored/files.ts";
import { uploadRoutes as uploads } from "../../contract/routes/stored/uploads.ts";
import { toDuckdbSettings, toPolarsSettings } from "../../core/files/connection-settings.ts";
import type { FileDownload } from "../../services/files/files.ts";
import * as service from "../../services/files/files.ts";
import { downloadSignedFile, getStorageResource, signFiles } from "../../services/files/share.ts";
import { checkStorage } from "../../services/files/storages.ts";
import { completeUpload, deleteUpload, getUpload, presignParts, startUpload } from "../../services/files/uploads.ts";
import { type ApiRoutes, type Auth, secretReader } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, nameAuditedResource, type Reply, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

/** A file may come from any source, so browsers must save it and never display it under this origin. */
const DOWNLOAD = { "content-disposition": "attachment", "content-security-policy": "sandbox", "x-content-type-options": "nosniff" };

function toDownloadReply(found: FileDownload): Reply {
  if ("url" in found) return text(307, "The file is too large for a response. Follow the redirect.", { location: found.url });
  return {
    statusCode: 200,
    headers: { "content-type": found.contentType, ...DOWNLOAD },
    body: found.bytes.toString("base64"),
    isBase64Encoded: true,
  };
}

const callerOf = (action: TokenRoute, { actor }: Auth, { workspace }: { workspace: string }) => ({ actor, action, workspace });

export const files: ApiRoutes = [
  on(routes.uploadFile, async ({ auth, params, query, readPayload }) => {
    const { file_key: fileKey, file_extension: extension, content_type: contentType, content_disposition: contentDisposition } = query;
    const { storage, s3_resource_path } = query;
    const { headers, bytes } = await readPayload();
    const content = { sentContentType: headers["content-type"], bytes };
    const upload = { storage, s3_resource_path, fileKey, extension, contentType, contentDisposition, ...content };
    return json(200, { file_key: await service.uploadFile(deps, callerOf(routes.uploadFile, auth, params), upload) });
  }),
  on(routes.presignUpload, async ({ auth, params, body: { file_key: fileKey, file_extension: extension, ...storage } }) =>
    json(200, await service.presignUpload(deps, callerOf(routes.presignUpload, auth, params), { fileKey, extension }, storage)),
  ),
  on(
    uploads.startUpload,
    async ({ auth, params, body: { file_key: fileKey, file_extension: extension, content_type: contentType, size, ...storage } }) =>
      json(
        201,
        await startUpload(deps, callerOf(uploads.startUpload, auth, params), { fileKey, extension, contentType, bytes: size, ...storage }),
      ),
  ),
  on(uploads.getUpload, async ({ auth, params }) => json(200, await getUpload(deps, callerOf(uploads.getUpload, auth, params), params.id))),
  on(uploads.presignParts, async ({ auth, params, body }) =>
    json(200, await presignParts(deps, callerOf(uploads.presignParts, auth, params), params.id, body.numbers)),
  ),
  on(uploads.completeUpload, async ({ auth, params }) => {
    const fileKey = await completeUpload(deps, callerOf(uploads.completeUpload, auth, params), params.id);
    return nameAuditedResource(json(200, { file_key: fileKey }), fileKey);
  }),
  on(uploads.deleteUpload, async ({ auth, params }) => {
    await deleteUpload(deps, callerOf(uploads.deleteUpload, auth, params), params.id);
    return text(200, `The upload ${params.id} was removed.`);
  }),
  on(routes.downloadFile, async ({ auth, params, query }) =>
    toDownloadReply(await service.downloadFile(deps, callerOf(routes.downloadFile, auth, params), query.file_key, query)),
  ),
  on(routes.deleteFile, async ({ auth, params, query }) => {
    await service.deleteFile(deps, callerOf(routes.deleteFile, auth, params), query.file_key, query);
    return text(200, `The file ${query.file_key} was deleted.`);
  }),
  on(routes.moveFile, async ({ auth, params, query: { src_file_key: from, dest_file_key: to, ...named } }) => {
    await service.moveFile(deps, callerOf(routes.moveFile, auth, params), { from, to }, named);
    return text(200, `The file ${from} was moved to ${to}.`);
  }),
  on(routes.listFiles, async ({ auth, params, query }) =>
    json(200, await service.listFiles(deps, callerOf(routes.listFiles, auth, params), query)),
  ),
  on(routes.fileMetadata, async ({ auth, params, query }) =>
    json(200, await service.getFileMetadata(deps, callerOf(routes.fileMetadata, auth, params), query.file_key, query)),
  ),
  on(routes.filePreview, async ({ auth, params, query }) =>
    json(200, await service.previewFile(deps, callerOf(routes.filePreview, auth, params), query.file_key, query)),
  ),
  on(routes.testConnection, async ({ auth, params: { workspace }, query }) => {
    await checkStorage(deps, auth.actor, workspace, query);
    return text(200, "The storage is reachable, and its files can be listed.");
  }),
  on(routes.resourceInfo, async ({ auth, params, body }) => {
    const caller = { ...callerOf(routes.resourceInfo, auth, params), ...secretReader(auth, params.workspace, routes.resourceInfo) };
    return json(200, await getStorageResource(deps, caller, body));
  }),
  on(routes.duckdbSettings, async ({ auth, params, body }) => {
    const caller = { ...callerOf(routes.duckdbSettings, auth, params), ...secretReader(auth, params.workspace, routes.duckdbSettings) };
    return json(200, toDuckdbSettings(await getStorageResource(deps, caller, body)));
  }),
  on(routes.polarsSettings, async ({ auth, params, body }) => {
    const caller = { ...callerOf(routes.polarsSettings, auth, params), ...secretReader(auth, params.workspace, routes.polarsSettings) };
    return json(200, toPolarsSettings(await getStorageResource(deps, caller, body)));
  }),
  on(routes.signFiles, async ({ auth, params, body }) =>
    json(200, await signFiles(deps, callerOf(routes.signFiles, auth, params), body.s3_objects, body.expiry_secs ?? undefined)),
  ),
  on(routes.publicFile, async ({ params: { workspace, storage, key }, query }) =>
    toDownloadReply(await downloadSignedFile(deps, { workspace, storage, fileKey: query.svc_key ?? key }, query.svc_link ?? "")),
  ),
];
