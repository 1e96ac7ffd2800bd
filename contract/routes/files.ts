import * as z from "zod";
import { inWorkspace } from "../common.ts";
import { defineRoute } from "../route.ts";

const fileKey = z.string().min(1).max(800);
/** Other storages than the workspace's own are named by a connection; none can be yet, and saying so beats storing elsewhere. */
const ownStorage = { storage: z.string().max(100).optional(), s3_resource_path: z.string().max(250).optional() };
const at = z.object({ file_key: fileKey, ...ownStorage });
const base = "/api/w/{workspace}/job_helpers";

export const fileRoutes = {
  uploadFile: defineRoute({
    name: "files.upload",
    summary: "Store the body as a file. Without a file_key it gets one of its own, with file_extension at its end.",
    method: "POST",
    path: `${base}/upload_s3_file`,
    fn: "api",
    auth: "token",
    params: inWorkspace,
    query: z.object({
      file_key: fileKey.optional(),
      file_extension: z
        .string()
        .regex(/^\.?[A-Za-z0-9]{1,20}$/, "letters and digits only")
        .optional(),
      content_type: z.string().max(200).optional(),
      content_disposition: z.string().max(500).optional(),
      resource_type: z.string().max(100).optional(),
      ...ownStorage,
    }),
    payload: true,
    status: 200,
    reply: { json: z.object({ file_key: z.string() }) },
    errors: ["file.key", "file.storage"],
  }),
  presignUpload: defineRoute({
    name: "files.presignUpload",
    summary: "Answer a URL to PUT a file at that is larger than a request's body may be.",
    method: "POST",
    path: `${base}/presign_upload`,
    fn: "api",
    auth: "token",
    params: inWorkspace,
    body: z.object({ file_key: fileKey.optional() }),
    status: 200,
    reply: { json: z.object({ file_key: z.string(), url: z.url(), expires_in_s: z.number() }) },
    errors: ["file.key"],
  }),
  downloadFile: defineRoute({
    name: "files.download",
    summary: "Answer a file's bytes; for one too large for a reply, a redirect to a URL that works for an hour.",
    method: "GET",
    path: `${base}/download_s3_file`,
    fn: "api",
    auth: "token",
    params: inWorkspace,
    query: at,
    status: 200,
    reply: { bytes: "The file." },
    errors: ["file.key", "file.storage", "file.notFound"],
  }),
  deleteFile: defineRoute({
    name: "files.delete",
    summary: "Delete a file. One that is gone already is no error.",
    method: "DELETE",
    path: `${base}/delete_s3_file`,
    fn: "api",
    auth: "token",
    params: inWorkspace,
    query: at,
    status: 200,
    reply: { text: "What was deleted." },
    errors: ["file.key", "file.storage"],
  }),
};
