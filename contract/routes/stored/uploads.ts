import * as z from "zod";
import { inWorkspace, timestamp, workspaceId } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { fileExtension, fileKey, fileWriteErrors, headerText, where, writeRequest } from "./files.ts";

const base = "/api/w/{workspace}/job_helpers/uploads";
const shared = { fn: "objects", auth: "token", status: 200, access: writeRequest } as const;
const post = { ...shared, method: "POST" } as const;
const atUpload = z.object({ workspace: workspaceId, id: z.uuid() });
const errors = [...fileWriteErrors, "upload.notFound"] as const;

const uploadSchema = z.object({
  id: z.uuid(),
  file_key: z.string(),
  size: z.number(),
  part_bytes: z.number().describe("The size of each part except for the last one."),
  parts: z.int(),
  stored: z.array(z.int()).describe("The numbers of the parts that the storage has, beginning with 1."),
  expires_at: timestamp.describe("The time until which the upload can be continued."),
});
export type UploadJson = z.output<typeof uploadSchema>;

const partUrlSchema = z.object({ number: z.int(), url: z.url(), upload_url: z.url().optional() });

/** Uploads in parts, which are continued after an interruption. */
export const uploadRoutes = {
  startUpload: defineRoute({
    ...post,
    status: 201,
    name: "uploads.start",
    summary:
      "Begin an upload in parts, which can be continued for 24 hours. The file appears when the upload is completed. Only the caller can continue it.",
    path: `${base}/start`,
    audits: "nothing",
    params: inWorkspace,
    body: z.object({
      file_key: fileKey.optional(),
      file_extension: fileExtension.optional().describe("The end of the generated key, if there is no `file_key`."),
      content_type: headerText.max(200).optional(),
      size: z.int().min(1).max(limits.uploadBytes),
      storage: where.storage.nullable(),
      s3_resource_path: where.s3_resource_path.nullable(),
    }),
    reply: { json: uploadSchema },
    errors: fileWriteErrors,
  }),
  getUpload: defineRoute({
    ...shared,
    method: "GET",
    access: { ...writeRequest, verb: "read" },
    name: "uploads.get",
    summary: "Get the state of an upload in parts that you have begun.",
    path: `${base}/get/{id}`,
    params: atUpload,
    reply: { json: uploadSchema },
    errors,
  }),
  presignParts: defineRoute({
    ...post,
    name: "uploads.presignParts",
    summary:
      "Get a URL for each part, to which it is sent with PUT within an hour. `upload_url` is the same at the origin of the service, for pages.",
    path: `${base}/presign/{id}`,
    audits: "nothing",
    params: atUpload,
    body: z.object({ numbers: z.array(z.int().min(1).max(limits.uploadParts)).min(1).max(limits.uploadUrls) }),
    reply: { json: z.array(partUrlSchema) },
    errors,
  }),
  completeUpload: defineRoute({
    ...post,
    name: "uploads.complete",
    summary: "Make the file of the parts. All parts must be stored with their sizes. A repeated request succeeds.",
    path: `${base}/complete/{id}`,
    audits: { kind: "Updated", resource: { reply: "named", before: { param: "id" } } },
    params: atUpload,
    reply: { json: z.object({ file_key: z.string() }) },
    errors: [...errors, "upload.incomplete"],
  }),
  deleteUpload: defineRoute({
    ...shared,
    method: "DELETE",
    name: "uploads.delete",
    summary: "End an upload in parts without a file, and remove its parts. A repeated request succeeds.",
    path: `${base}/delete/{id}`,
    audits: "nothing",
    params: atUpload,
    reply: { text: "A confirmation." },
    errors: fileWriteErrors,
  }),
};
