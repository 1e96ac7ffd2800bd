import { Complaint } from "../../launch/complaint.mjs";
import { type Api, expectEqual } from "./client.ts";

/** More than a body of the API may have. */
const FILE_BYTES = 12_000_000;

/** Uploads a file as a page does, through the origin of the service, and expects that this origin does not show it. */
export async function checkUpload({ api }: { api: Api }): Promise<string> {
  const { file_key, upload_url: url } = await api.call.files.presignUpload({ body: { file_extension: "html" } });
  if (url === undefined)
    return "this deployment has no address for uploads, as is expected without CloudFront and for a bucket of the workspace";
  try {
    const reply = await fetch(url, { method: "PUT", body: Buffer.alloc(FILE_BYTES, "a"), headers: { "content-type": "text/html" } });
    if (reply.status !== 200) throw new Complaint(`The upload returned ${reply.status}: ${(await reply.text()).slice(0, 500)}`);
    const { size_in_bytes: bytes } = await api.call.files.getMetadata({ query: { file_key } });
    expectEqual(bytes, FILE_BYTES, "The size of the stored file");
    const shown = await fetch(url);
    expectEqual([shown.status, shown.headers.get("content-type")], [405, "text/plain; charset=utf-8"], "The reply to a GET of the upload");
    await uploadInParts(api, file_key);
    return "12 MB through the origin of the service, which shows no file, in one request and in parts";
  } finally {
    await api.call.files.delete({ query: { file_key } });
  }
}

/** Uploads the file again in parts, and expects that the storage makes one file of them. */
async function uploadInParts({ call }: Api, file_key: string): Promise<void> {
  const { id, parts, part_bytes } = await call.uploads.start({ body: { file_key, size: FILE_BYTES, content_type: "text/html" } });
  try {
    const numbers = Array.from({ length: parts }, (_, index) => index + 1);
    for (const { number, upload_url = "" } of await call.uploads.presignParts({ id, body: { numbers } })) {
      const bytes = Math.min(part_bytes, FILE_BYTES - (number - 1) * part_bytes);
      const reply = await fetch(upload_url, { method: "PUT", body: Buffer.alloc(bytes, "b") });
      if (reply.status !== 200) throw new Complaint(`Part ${number} returned ${reply.status}: ${(await reply.text()).slice(0, 500)}`);
    }
    await call.uploads.complete({ id });
    const { size_in_bytes } = await call.files.getMetadata({ query: { file_key } });
    expectEqual(size_in_bytes, FILE_BYTES, "The size of the file that was stored in parts");
  } finally {
    await call.uploads.delete({ id });
  }
}
