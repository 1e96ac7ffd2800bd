import { bad, closed, type Event, field, found, good, type Steps } from "../exchange.ts";

const one = { file_key: "f/t/one.txt" };
const none = { file_key: "f/t/none.txt" };
const link = (body: string) => new URLSearchParams((JSON.parse(body) as { presigned: string }[])[0]?.presigned).get("svc_link");

const unknown = { id: "00000000-0000-4000-8000-000000000000" };
const upload = { id: "<upload>" };
const partUrl = (body: string) => (JSON.parse(body) as { url: string }[])[0]?.url;
const sendPart: Event = ({ kept }) => fetch(kept["part"] ?? "", { method: "PUT", body: "text" });

export const files: Steps = [
  good("createFolder", { json: { name: "t" } }),
  good("uploadFile", { query: { ...one, content_type: "text/plain" }, text: "a,b\n1,2\n" }),
  bad("uploadFile", { query: { file_key: "../one.txt" }, text: "text" }),
  good("presignUpload", { json: { file_key: "f/t/two.txt" } }),
  bad("presignUpload", { json: { file_key: 2 } }),
  good("startUpload", { json: { file_key: "f/t/large.txt", size: 4, content_type: "text/plain" }, keep: { upload: field("id") } }),
  bad("startUpload", { json: { file_key: "f/t/large.txt", size: 0 } }),
  ...found("getUpload", upload, unknown),
  ...found("presignParts", upload, unknown, { json: { numbers: [1] }, keep: { part: partUrl } }),
  bad("completeUpload", { params: upload }),
  sendPart,
  good("completeUpload", { params: upload }),
  good("deleteUpload", { params: upload }),
  bad("deleteUpload", { params: { id: "one" } }),
  good("downloadFile", { query: one }),
  bad("downloadFile", { query: none }),
  bad("downloadFile"),
  ...closed("listFiles"),
  bad("listFiles", { query: { storage: "none" } }),
  good("fileMetadata", { query: one }),
  bad("fileMetadata", { query: none }),
  good("filePreview", { query: { ...one, read_bytes_from: 2, read_bytes_length: 3 } }),
  bad("filePreview", { query: none }),
  good("testConnection"),
  bad("testConnection", { query: { storage: "none" } }),
  bad("resourceInfo", { json: {} }),
  bad("duckdbSettings", { json: {} }),
  bad("polarsSettings", { json: {} }),
  good("createResource", {
    json: {
      path: "f/t/bucket",
      resource_type: "s3",
      value: { bucket: "use-cases", region: "us-east-1", endPoint: "s3.example.com", accessKey: "key", secretKey: "secret", useSSL: true },
    },
    alone: true,
  }),
  good("resourceInfo", { json: { s3_resource_path: "f/t/bucket" } }),
  good("duckdbSettings", { json: { s3_resource_path: "f/t/bucket" } }),
  good("polarsSettings", { json: { s3_resource_path: "f/t/bucket" } }),
  good("signFiles", {
    json: { s3_objects: [{ s3: "f/t/one.txt" }], expiry_secs: 60 },
    keep: { link },
  }),
  bad("signFiles", { json: { s3_objects: [{ s3: "../one.txt" }] } }),
  good("publicFile", { params: { storage: "_default_", key: "f/t/one.txt" }, query: { svc_link: "<link>" }, from: "nobody" }),
  bad("publicFile", { params: { storage: "_default_", key: "f/t/one.txt" }, from: "nobody" }),
  good("moveFile", { query: { src_file_key: "f/t/one.txt", dest_file_key: "f/t/moved.txt" } }),
  bad("moveFile", { query: { src_file_key: "../one.txt", dest_file_key: "f/t/moved.txt" } }),
  good("deleteFile", { query: { file_key: "f/t/moved.txt" } }),
  bad("deleteFile", { query: { file_key: "../one.txt" } }),
];
