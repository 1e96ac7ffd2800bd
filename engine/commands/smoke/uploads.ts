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
    return "12 MB through the origin of the service, which shows no file";
  } finally {
    await api.call.files.delete({ query: { file_key } });
  }
}
