import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../support/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const bytes = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256));
async function download(file_key: string, from = ws): Promise<Response> {
  const query = new URLSearchParams({ file_key });
  return fetch(`${from.api.url}/api/w/${from.id}/job_helpers/download_s3_file?${query}`, {
    headers: { authorization: `Bearer ${from.api.token}` },
  });
}

describe("a file (api.md 2.7)", () => {
  it("comes back byte for byte, under a key of its own or the one that was sent", async () => {
    const made = await ws.call("POST", "job_helpers/upload_s3_file", {
      body: bytes,
      headers: { "content-type": "image/png" },
      query: { file_extension: "png" },
    });
    const { file_key } = expectStatus(made, 200).json as { file_key: string };
    expect(file_key).toMatch(/\.png$/);
    const found = await download(file_key);
    expect(found.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await found.arrayBuffer()).equals(bytes)).toBe(true);

    const named = await ws.call("POST", "job_helpers/upload_s3_file", { body: "text", query: { file_key: "reports/é 1.txt" } });
    expect(named.json).toEqual({ file_key: "reports/é 1.txt" });
    expect(await (await download("reports/é 1.txt")).text()).toBe("text");
  });

  it("is never shown by a browser under this origin", async () => {
    await ws.call("POST", "job_helpers/upload_s3_file", {
      body: "<script>1</script>",
      headers: { "content-type": "text/html" },
      query: { file_key: "page.html" },
    });
    const { headers } = await download("page.html");
    expect(headers.get("content-disposition")).toBe("attachment");
    expect(headers.get("content-security-policy")).toBe("sandbox");
  });

  it("larger than a body goes to a presigned URL, and is read through one", async () => {
    const { url, file_key } = expectStatus(await ws.post("job_helpers/presign_upload", {}), 200).json as { url: string; file_key: string };
    const large = Buffer.alloc(6 * 1024 * 1024, "svc");
    expect((await fetch(url, { method: "PUT", body: large })).status).toBe(200);
    const found = await download(file_key);
    expect(found.redirected).toBe(true);
    expect(Buffer.from(await found.arrayBuffer()).equals(large)).toBe(true);
  });

  it("is deleted, once or twice", async () => {
    await ws.call("POST", "job_helpers/upload_s3_file", { body: "x", query: { file_key: "gone.txt" } });
    for (let times = 0; times < 2; times += 1) {
      expectStatus(await ws.call("DELETE", "job_helpers/delete_s3_file", { query: { file_key: "gone.txt" } }), 200);
    }
    expect((await download("gone.txt")).status).toBe(404);
  });

  it("of another workspace is out of reach, whatever the key", async () => {
    const other = await newWorkspace();
    await other.call("POST", "job_helpers/upload_s3_file", { body: "theirs", query: { file_key: "secret.txt" } });
    expect((await download("secret.txt")).status).toBe(404);
    for (const key of [`../${other.id}/secret.txt`, `a/../../${other.id}/secret.txt`, "/secret.txt", "a//b", "..", "a\\b"]) {
      expect((await download(key)).status).toBe(400);
    }
  });

  it("for a storage that is not known is refused instead of going elsewhere", async () => {
    const answer = await ws.call("POST", "job_helpers/upload_s3_file", { body: "x", query: { s3_resource_path: "f/t/s3" } });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "file.storage"]);
  });

  it("of a form that a webhook got can be downloaded by its key (spec 4.2.5)", async () => {
    await ws.saveScript({ path: "f/t/form", language: "bun", content: "export function main(doc: unknown) { return doc; }" });
    const form = new FormData();
    form.append("doc", new Blob([bytes]), "d.bin");
    const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run_wait_result/p/f/t/form`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}` },
      body: form,
    });
    const [doc] = (await answer.json()) as { s3: string }[];
    expect(Buffer.from(await (await download(doc?.s3 ?? "")).arrayBuffer()).equals(bytes)).toBe(true);
  });
});
