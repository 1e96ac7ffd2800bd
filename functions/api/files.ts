import { SvcError } from "../../contract/errors.ts";
import { fileRoutes as routes } from "../../contract/routes/files.ts";
import { deleteFile, downloadFile, presignUpload, uploadFile } from "../../services/files/files.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { type ApiRoutes, collaborators as c } from "./collaborators.ts";

/** A file came from anywhere: a browser saves it, and never shows it under this origin. */
const DOWNLOAD = { "content-disposition": "attachment", "content-security-policy": "sandbox", "x-content-type-options": "nosniff" };

function onlyOwn({ storage, s3_resource_path }: { storage?: string | undefined; s3_resource_path?: string | undefined }): void {
  const named = storage && storage !== "_default_" ? storage : s3_resource_path;
  if (named) throw new SvcError("file.storage", { storage: named });
}

export const files: ApiRoutes = [
  on(routes.uploadFile, async ({ params: { workspace }, query, payload }) => {
    onlyOwn(query);
    const sent = payload.headers["content-type"];
    const file_key = await uploadFile(c, workspace, {
      fileKey: query.file_key,
      extension: query.file_extension,
      contentType: query.content_type ?? sent,
      contentDisposition: query.content_disposition,
      bytes: payload.bytes,
    });
    return json(200, { file_key });
  }),
  on(routes.presignUpload, async ({ params: { workspace }, body }) => json(200, await presignUpload(c, workspace, body.file_key))),
  on(routes.downloadFile, async ({ params: { workspace }, query }) => {
    onlyOwn(query);
    const found = await downloadFile(c, workspace, query.file_key);
    if ("url" in found) return text(307, "The file is too large for a reply: follow the redirect.", { location: found.url });
    return {
      statusCode: 200,
      headers: { "content-type": found.contentType, ...DOWNLOAD },
      body: found.bytes.toString("base64"),
      isBase64Encoded: true,
    };
  }),
  on(routes.deleteFile, async ({ params: { workspace }, query }) => {
    onlyOwn(query);
    await deleteFile(c, workspace, query.file_key);
    return text(200, `The file ${query.file_key} is deleted.`);
  }),
];
