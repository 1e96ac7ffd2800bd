import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { inWorkspace, timestamp, workspaceId } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";

export const fileKey = z.string().min(1).max(800);
/** The characters that a header can contain. A name with other characters is sent as `filename*=UTF-8''…`. */
export const headerText = z.string().regex(/^[\x20-\x7e]+$/, "printable ASCII only");
/** A storage of the workspace by name, or the bucket of a resource. Default: the workspace's default storage. */
export const where = { storage: z.string().max(100).optional(), s3_resource_path: z.string().max(250).optional() };
const at = z.object({ file_key: fileKey, ...where });
const base = "/api/w/{workspace}/job_helpers";
const storageErrors = [
  "file.storage",
  "file.storageOff",
  "file.storageFailed",
  "file.storageResource",
  "resource.notFound",
  "reference.unreadable",
] as const;
const errors = ["file.key", ...storageErrors] as const;
export const fileWriteErrors = [...errors, "file.ofJob", "path.noFolder"] as const;
const shared = { fn: "objects", auth: "token", params: inWorkspace, status: 200 } as const;

const s3Object = z.looseObject({ s3: fileKey, storage: z.string().max(100).nullish(), presigned: z.string().optional() });
const fileInfo = {
  mime_type: z.string().optional(),
  size_in_bytes: z.number(),
  last_modified: timestamp.optional(),
};

export const fileExtension = z.string().regex(/^\.?[A-Za-z0-9]{1,20}$/, "letters and digits only");
export const writeRequest = { domain: "files", verb: "write", need: "write", target: "request" } as const;
const readRequest = { domain: "files", verb: "read", need: "read", target: "request" } as const;

export const fileRoutes = {
  uploadFile: defineRoute({
    ...shared,
    name: "files.upload",
    summary: "Store the body as a file. Without a file_key, the service generates one that ends with file_extension.",
    method: "POST",
    path: `${base}/upload_s3_file`,
    access: writeRequest,
    audits: { kind: "Updated", resource: { query: "file_key" } },
    query: z.object({
      file_key: fileKey.optional(),
      file_extension: fileExtension.optional(),
      content_type: headerText.max(200).optional(),
      content_disposition: headerText.max(500).optional(),
      resource_type: z.string().max(100).optional(),
      ...where,
    }),
    payload: true,
    reply: { json: z.object({ file_key: z.string() }) },
    errors: fileWriteErrors,
  }),
  presignUpload: defineRoute({
    ...shared,
    name: "files.presignUpload",
    summary: "Get a URL to which a file can be uploaded with PUT, for files larger than the limit of request bodies.",
    method: "POST",
    path: `${base}/presign_upload`,
    access: writeRequest,
    audits: { kind: "Updated", resource: { body: "file_key" } },
    body: z.object({
      file_key: fileKey.optional(),
      file_extension: fileExtension.optional().describe("The end of the generated key, if there is no `file_key`."),
      storage: where.storage.nullable(),
      s3_resource_path: where.s3_resource_path.nullable(),
    }),
    reply: {
      json: z.object({
        file_key: z.string(),
        url: z.url(),
        upload_url: z
          .url()
          .optional()
          .describe(
            "The same upload at the origin of the service, for pages. Absent for a bucket of the workspace, and without CloudFront.",
          ),
        expires_in_s: z.number(),
      }),
    },
    errors: fileWriteErrors,
  }),
  downloadFile: defineRoute({
    ...shared,
    name: "files.download",
    summary: "Get the content of a file. For a file that is too large for a response, redirect to a URL that is valid for one hour.",
    method: "GET",
    path: `${base}/download_s3_file`,
    access: actions.downloadFile.access,
    query: at,
    reply: { bytes: "The file." },
    errors: [...errors, "file.notFound"],
  }),
  deleteFile: defineRoute({
    ...shared,
    name: "files.delete",
    summary: "Delete a file. The request also succeeds if the file does not exist.",
    method: "DELETE",
    path: `${base}/delete_s3_file`,
    access: writeRequest,
    audits: { kind: "Delete", resource: { query: "file_key" } },
    query: at,
    reply: { text: "A confirmation." },
    errors: [...errors, "file.ofJob", "file.notFound"],
  }),
  moveFile: defineRoute({
    ...shared,
    name: "files.move",
    summary: "Move a file to another key in the same storage. A file of a job is copied, because the original is deleted with its job.",
    method: "POST",
    path: `${base}/move_s3_file`,
    access: writeRequest,
    audits: { kind: "Updated", resource: { query: "src_file_key" } },
    query: z.object({ src_file_key: fileKey, dest_file_key: fileKey, ...where }),
    reply: { text: "A confirmation." },
    errors: [...errors, "file.ofJob", "file.notFound", "file.otherStorage", "path.noFolder"],
  }),
  listFiles: defineRoute({
    ...shared,
    name: "files.list",
    summary: "List the files of a storage that you may read, sorted by key. A page may be short: continue while there is a next_marker.",
    method: "GET",
    path: `${base}/list_stored_files`,
    access: { domain: "files", verb: "read", need: "read", target: "list" },
    query: z.object({
      prefix: z.string().max(800).optional(),
      marker: z.string().max(800).optional(),
      max_keys: z.coerce.number().int().min(1).max(1000).optional(),
      ...where,
    }),
    reply: {
      json: z.object({
        files: z.array(z.object({ s3: z.string(), size_in_bytes: z.number(), last_modified: timestamp.optional() })),
        next_marker: z.string().optional(),
      }),
    },
    errors: storageErrors,
  }),
  fileMetadata: defineRoute({
    ...shared,
    name: "files.getMetadata",
    summary: "Get type, size and modification time of a file.",
    method: "GET",
    path: `${base}/load_file_metadata`,
    access: readRequest,
    query: at,
    reply: { json: z.object(fileInfo) },
    errors: [...errors, "file.notFound"],
  }),
  filePreview: defineRoute({
    ...shared,
    name: "files.preview",
    summary: "Get a part of a text file.",
    method: "GET",
    path: `${base}/load_file_preview`,
    access: readRequest,
    query: at.extend({
      read_bytes_from: z.coerce.number().int().min(0).optional(),
      read_bytes_length: z.coerce.number().int().min(1).max(limits.previewBytes).optional(),
    }),
    reply: {
      json: z.object({ content: z.string().optional(), content_type: z.enum(["RawText", "Csv", "Unknown"]), msg: z.string().optional() }),
    },
    errors: [...errors, "file.notFound"],
  }),
  testConnection: defineRoute({
    ...shared,
    name: "files.testConnection",
    summary: "Check that a storage can be reached and listed.",
    method: "GET",
    path: `${base}/test_connection`,
    access: readRequest,
    query: z.object(where),
    reply: { text: "A confirmation." },
    errors: storageErrors,
  }),
  resourceInfo: defineRoute({
    ...shared,
    name: "files.getResourceInfo",
    summary:
      "Get the connection settings of a storage's bucket for other programs. The caller must be allowed to read its resource, unless the resource is public.",
    method: "POST",
    path: `${base}/v2/s3_resource_info`,
    access: readRequest,
    reveals: "storage keys",
    body: z.object({ s3_resource_path: z.string().max(250).nullish(), storage: z.string().max(100).nullish() }),
    reply: {
      json: z.object({
        bucket: z.string(),
        region: z.string(),
        endPoint: z.string(),
        port: z.number().optional(),
        useSSL: z.boolean(),
        accessKey: z.string(),
        secretKey: z.string(),
        pathStyle: z.boolean(),
      }),
    },
    errors: [...storageErrors, "file.noKeys"],
  }),
  duckdbSettings: defineRoute({
    ...shared,
    name: "files.getDuckdbSettings",
    summary: "Get the statements with which DuckDB connects to a storage's bucket. The rights are those for its connection settings.",
    method: "POST",
    path: `${base}/v2/duckdb_connection_settings`,
    access: readRequest,
    reveals: "storage keys",
    body: z.object({ s3_resource_path: z.string().max(250).nullish(), storage: z.string().max(100).nullish() }),
    reply: { json: z.object({ connection_settings_str: z.string(), s3_bucket: z.string() }) },
    errors: [...storageErrors, "file.noKeys"],
  }),
  polarsSettings: defineRoute({
    ...shared,
    name: "files.getPolarsSettings",
    summary: "Get the options with which Polars connects to a storage's bucket. The rights are those for its connection settings.",
    method: "POST",
    path: `${base}/v2/polars_connection_settings`,
    access: readRequest,
    reveals: "storage keys",
    body: z.object({ s3_resource_path: z.string().max(250).nullish(), storage: z.string().max(100).nullish() }),
    reply: {
      json: z.object({
        s3fs_args: z.object({
          endpoint_url: z.string(),
          key: z.string(),
          secret: z.string(),
          use_ssl: z.boolean(),
          cache_regions: z.boolean(),
          client_kwargs: z.object({ region_name: z.string() }),
        }),
        storage_options: z.record(z.string(), z.string()),
        s3_bucket: z.string(),
      }),
    },
    errors: [...storageErrors, "file.noKeys"],
  }),
  signFiles: defineRoute({
    ...shared,
    name: "files.sign",
    summary: "Add `presigned` to files. With it as the query, s3_proxy serves the file without a token for a limited time.",
    method: "POST",
    path: "/api/w/{workspace}/apps/sign_s3_objects",
    access: readRequest,
    body: z.object({
      s3_objects: z.array(s3Object).max(100),
      expiry_secs: z.number().int().min(1).max(limits.fileLinkS).nullish(),
    }),
    reply: { json: z.array(s3Object.required({ presigned: true })) },
    errors: [...errors, "file.notFound"],
  }),
  publicFile: defineRoute({
    name: "files.public",
    summary: "Get a file through a signed link, without a token. `storage` is _default_ for the workspace's default storage.",
    method: "GET",
    path: "/api/w/{workspace}/s3_proxy/{storage}/{key+}",
    access: "open",
    fn: "objects",
    auth: "none",
    params: z.object({ workspace: workspaceId, storage: z.string().max(100), key: fileKey }),
    query: z.object({ svc_link: z.string().max(1000).optional(), svc_key: fileKey.optional() }),
    status: 200,
    reply: { bytes: "The file." },
    errors: ["file.link", "file.key", "file.notFound", "file.storage", "file.storageOff", "file.storageFailed", "file.storageResource"],
  }),
};
