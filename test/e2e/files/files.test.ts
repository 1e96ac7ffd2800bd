import { beforeAll, describe, expect, it } from "vitest";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

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

describe("files (api.md 2.7)", () => {
  it("a file is returned byte for byte, under a generated key or the one that was sent", async () => {
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

  it("a browser never displays a file under the origin of the service", async () => {
    await ws.call("POST", "job_helpers/upload_s3_file", {
      body: "<script>1</script>",
      headers: { "content-type": "text/html" },
      query: { file_key: "page.html" },
    });
    const { headers } = await download("page.html");
    expect(headers.get("content-disposition")).toBe("attachment");
    expect(headers.get("content-security-policy")).toBe("sandbox");
  });

  it("a file larger than a body is written and read through presigned URLs", async () => {
    const { url, file_key } = expectStatus(await ws.post("job_helpers/presign_upload", {}), 200).json as { url: string; file_key: string };
    const large = Buffer.alloc(6 * 1024 * 1024, "svc");
    expect((await fetch(url, { method: "PUT", body: large })).status).toBe(200);
    const found = await download(file_key);
    expect(found.redirected).toBe(true);
    expect(Buffer.from(await found.arrayBuffer()).equals(large)).toBe(true);
  });

  it("a page uploads a large file at the origin of the service, which shows no file there", async () => {
    const { upload_url, file_key } = expectStatus(await ws.post("job_helpers/presign_upload", { file_extension: "html" }), 200).json as {
      upload_url: string;
      file_key: string;
    };
    expect([new URL(upload_url).origin, file_key.endsWith(".html")]).toEqual([new URL(ws.api.url).origin, true]);
    const large = Buffer.alloc(11 * 1024 * 1024, "<script>");
    const headers = { origin: new URL(ws.api.url).origin, "sec-fetch-site": "same-origin", "content-type": "text/html" };
    expect((await fetch(upload_url, { method: "PUT", body: large, headers })).status).toBe(200);
    const found = await download(file_key);
    expect(Buffer.from(await found.arrayBuffer()).equals(large)).toBe(true);
    // A presigned download, at the origin of the pages.
    const { pathname, search } = new URL(found.url);
    for (const address of [upload_url, `${ws.api.url}/upload${pathname}${search}`]) {
      const shown = await fetch(address);
      expect([shown.status, shown.headers.get("x-svc-error"), await shown.text()]).toEqual([
        405,
        "upload.method",
        "This address accepts uploads with PUT only.",
      ]);
    }
  });

  it("a page uploads a file in parts, continues it, and reads it as one file", async () => {
    const partBytes = 8 * 1024 * 1024;
    const large = Buffer.concat([Buffer.alloc(partBytes, "svc"), Buffer.from("the end")]);
    const started = await ws.post("job_helpers/uploads/start", { file_key: "parts.bin", size: large.length });
    const { id, part_bytes } = expectStatus(started, 201).json as { id: string; part_bytes: number };
    expect(part_bytes).toBe(partBytes);
    const send = async (number: number) => {
      const [part] = expectStatus(await ws.post(`job_helpers/uploads/presign/${id}`, { numbers: [number] }), 200).json as {
        upload_url: string;
      }[];
      return fetch(part?.upload_url ?? "", { method: "PUT", body: large.subarray((number - 1) * partBytes, number * partBytes) });
    };
    expect((await send(1)).status).toBe(200);
    expectStatus(await ws.post(`job_helpers/uploads/complete/${id}`, {}), 409);
    expect(expectStatus(await ws.get(`job_helpers/uploads/get/${id}`), 200).json).toMatchObject({ stored: [1] });
    expect((await send(2)).status).toBe(200);
    expectStatus(await ws.post(`job_helpers/uploads/complete/${id}`, {}), 200);
    expect(Buffer.from(await (await download("parts.bin")).arrayBuffer()).equals(large)).toBe(true);

    const ended = expectStatus(await ws.post("job_helpers/uploads/start", { file_key: "ended.bin", size: 1 }), 201).json as { id: string };
    expectStatus(await ws.call("DELETE", `job_helpers/uploads/delete/${ended.id}`), 200);
    expectStatus(await ws.get(`job_helpers/uploads/get/${ended.id}`), 404);
  });

  it("a file is deleted, once or twice", async () => {
    await ws.call("POST", "job_helpers/upload_s3_file", { body: "x", query: { file_key: "gone.txt" } });
    for (let times = 0; times < 2; times += 1) {
      expectStatus(await ws.call("DELETE", "job_helpers/delete_s3_file", { query: { file_key: "gone.txt" } }), 200);
    }
    expect((await download("gone.txt")).status).toBe(404);
  });

  it("a file of another workspace is out of reach, whatever the key", async () => {
    const other = await newWorkspace();
    await other.call("POST", "job_helpers/upload_s3_file", { body: "theirs", query: { file_key: "secret.txt" } });
    expect((await download("secret.txt")).status).toBe(404);
    for (const key of [`../${other.id}/secret.txt`, `a/../../${other.id}/secret.txt`, "/secret.txt", "a//b", "..", "a\\b"]) {
      expect((await download(key)).status).toBe(400);
    }
  });

  it("a file for an unknown storage or resource is rejected", async () => {
    const named = (query: Record<string, string>) => ws.call("POST", "job_helpers/upload_s3_file", { body: "x", query });
    const errors = [await named({ storage: "other" }), await named({ s3_resource_path: "f/t/s3" })];
    expect(errors.map(({ status, headers }) => [status, headers.get("x-svc-error")])).toEqual([
      [400, "file.storage"],
      [404, "resource.notFound"],
    ]);
  });

  it("a form file of a webhook can be downloaded by its key (spec 4.2.5)", async () => {
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

describe("rights on files", () => {
  it("rights follow u/ and f/ paths; a file that a member may not read does not exist for them", async () => {
    const [ann, bob, viewer] = await Promise.all([member(ws, "ann"), member(ws, "bob"), member(ws, "viewer", "operator")]);
    expectStatus(
      await ws.post("folders/create", { name: "shared", owners: [], extra_perms: { [`u/${ann.username}`]: true, "g/all": false } }),
      201,
    );
    const put = (who: typeof ann, file_key: string) =>
      who.in(ws).call("POST", "job_helpers/upload_s3_file", { body: file_key, query: { file_key } });
    const get = async (who: typeof ann, file_key: string) => (await who.in(ws).get("job_helpers/download_s3_file", { file_key })).status;
    const [own, inFolder, hidden, free] = [`u/${ann.username}/a.txt`, "f/shared/a.txt", "f/t/a.txt", "reports/a.txt"];
    expect([(await put(ann, own)).status, (await put(ann, inFolder)).status, (await put(ann, free)).status]).toEqual([200, 200, 200]);
    expectStatus(await ws.call("POST", "job_helpers/upload_s3_file", { body: "x", query: { file_key: hidden } }), 200);

    expect(await Promise.all([own, inFolder, hidden, free].map((key) => get(ann, key)))).toEqual([200, 200, 404, 200]);
    expect(await Promise.all([own, inFolder, hidden, free].map((key) => get(bob, key)))).toEqual([404, 200, 404, 200]);
    expect(await Promise.all([inFolder, free].map((key) => get(viewer, key)))).toEqual([200, 200]);
    const refused = await Promise.all([put(bob, own), put(bob, inFolder), put(bob, hidden), put(viewer, free)]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 400, 403]);
    const remove = (file_key: string) => bob.in(ws).call("DELETE", "job_helpers/delete_s3_file", { query: { file_key } });
    expect([(await remove(own)).status, (await remove(inFolder)).status]).toEqual([403, 403]);
    const list = async (who: typeof ann) =>
      ((await who.in(ws).get("job_helpers/list_stored_files", { max_keys: 1000 })).json as { files: { s3: string }[] }).files.map(
        ({ s3 }) => s3,
      );
    expect(await list(bob)).toEqual(expect.arrayContaining([inFolder, free]));
    expect(await list(bob)).not.toEqual(expect.arrayContaining([own]));
    expect(await list(bob)).not.toEqual(expect.arrayContaining([hidden]));
    expect(await list(ann)).toEqual(expect.arrayContaining([own, inFolder, free]));
  });

  it("a file without a key belongs only to its uploader", async () => {
    const [ann, bob] = await Promise.all([member(ws, "ann"), member(ws, "bob")]);
    const made = await ann.in(ws).call("POST", "job_helpers/upload_s3_file", { body: "mine" });
    const { file_key } = expectStatus(made, 200).json as { file_key: string };
    expect(file_key).toMatch(new RegExp(`^u/${ann.username}/uploads/`));
    expect((await ann.in(ws).get("job_helpers/download_s3_file", { file_key })).text).toBe("mine");
    expect((await bob.in(ws).get("job_helpers/download_s3_file", { file_key })).status).toBe(404);
  });

  it("a form's files are readable by users who may see the job, and writable by none", async () => {
    const [ann, bob] = await Promise.all([member(ws, "ann"), member(ws, "bob")]);
    expectStatus(await ws.post("folders/create", { name: "forms", owners: [], extra_perms: { [`u/${ann.username}`]: false } }), 201);
    await ws.saveScript({ path: "f/forms/form", language: "bun", content: "export function main(doc: unknown) { return doc; }" });
    const form = new FormData();
    form.append("doc", new Blob(["shown"]), "d.txt");
    const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run_wait_result/p/f/forms/form`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}` },
      body: form,
    });
    const [doc] = (await answer.json()) as { s3: string }[];
    const file_key = doc?.s3 ?? "";
    expect(file_key).toContain(answer.headers.get("x-svc-job-id"));
    expect((await ann.in(ws).get("job_helpers/download_s3_file", { file_key })).text).toBe("shown");
    expect((await bob.in(ws).get("job_helpers/download_s3_file", { file_key })).status).toBe(404);
    const other = await newWorkspace();
    expect((await other.get("job_helpers/download_s3_file", { file_key })).status).toBe(404);
    for (const method of ["POST job_helpers/upload_s3_file", "DELETE job_helpers/delete_s3_file"]) {
      const [verb = "", route = ""] = method.split(" ");
      const refused = await ws.call(verb, route, { query: { file_key }, ...(verb === "POST" ? { body: "x" } : {}) });
      expect([refused.status, refused.headers.get("x-svc-error")]).toEqual([400, "file.ofJob"]);
    }
    const moved = await ws.call("POST", "job_helpers/move_s3_file", {
      query: { src_file_key: file_key, dest_file_key: "f/forms/kept.txt" },
    });
    expectStatus(moved, 200);
    expect(await (await download("f/forms/kept.txt")).text()).toBe("shown");
    expect(await (await download(file_key)).text()).toBe("shown");
  });
});

describe("file lists and previews", () => {
  it("the route lists files page by page, by prefix", async () => {
    const keys = ["list/1.txt", "list/2.txt", "list/3.txt"];
    for (const file_key of keys) await ws.call("POST", "job_helpers/upload_s3_file", { body: "12345", query: { file_key } });
    const seen: string[] = [];
    let marker: string | undefined;
    do {
      const page = await ws.get("job_helpers/list_stored_files", { prefix: "list/", max_keys: 2, ...(marker ? { marker } : {}) });
      const { files, next_marker } = expectStatus(page, 200).json as {
        files: { s3: string; size_in_bytes: number }[];
        next_marker?: string;
      };
      expect(files.every(({ size_in_bytes }) => size_in_bytes === 5)).toBe(true);
      seen.push(...files.map(({ s3 }) => s3));
      marker = next_marker;
    } while (marker);
    expect(seen).toEqual(keys);
  });

  it("the route returns type, size and time, and text in parts", async () => {
    await ws.call("POST", "job_helpers/upload_s3_file", { body: "a,b\n1,2\n", query: { file_key: "t.csv", content_type: "text/csv" } });
    expect((await ws.get("job_helpers/load_file_metadata", { file_key: "t.csv" })).json).toEqual({
      mime_type: "text/csv",
      size_in_bytes: 8,
      last_modified: expect.stringMatching(/^20/),
    });
    const preview = (query: object) => ws.get("job_helpers/load_file_preview", { file_key: "t.csv", ...query });
    expect((await preview({})).json).toEqual({ content: "a,b\n1,2\n", content_type: "Csv" });
    expect((await preview({ read_bytes_from: 4, read_bytes_length: 3 })).json).toEqual({ content: "1,2", content_type: "Csv" });
    expect((await preview({ read_bytes_from: 100 })).json).toEqual({ content: "", content_type: "Csv" });
    await ws.call("POST", "job_helpers/upload_s3_file", { body: bytes, query: { file_key: "t.bin" } });
    expect((await ws.get("job_helpers/load_file_preview", { file_key: "t.bin" })).json).toMatchObject({ content_type: "Unknown" });
    expect((await ws.get("job_helpers/load_file_metadata", { file_key: "absent" })).status).toBe(404);
    expect((await ws.get("job_helpers/load_file_preview", { file_key: "absent" })).status).toBe(404);
  });

  it("the route moves a file, once or twice", async () => {
    await ws.call("POST", "job_helpers/upload_s3_file", { body: "moving", query: { file_key: "from é.txt" } });
    const move = (src_file_key: string) =>
      ws.call("POST", "job_helpers/move_s3_file", { query: { src_file_key, dest_file_key: "to/it.txt" } });
    expectStatus(await move("from é.txt"), 200);
    expectStatus(await move("from é.txt"), 200);
    expect([(await download("from é.txt")).status, await (await download("to/it.txt")).text()]).toEqual([404, "moving"]);
  });
});

describe("signed links", () => {
  const sign = async (s3_objects: object[], more = {}, by = ws) => by.post("apps/sign_s3_objects", { s3_objects, ...more });
  const open = (key: string, query: string, storage = "_default_") =>
    fetch(`${ws.api.url}/api/w/${ws.id}/s3_proxy/${storage}/${key}?${query}`);

  it("a link shows its own file to every caller, and no other file", async () => {
    for (const file_key of ["shown.txt", "other.txt"])
      await ws.call("POST", "job_helpers/upload_s3_file", { body: file_key, query: { file_key } });
    const [signed] = expectStatus(await sign([{ s3: "shown.txt", filename: "x" }]), 200).json as { presigned: string; s3: string }[];
    expect(signed).toMatchObject({ s3: "shown.txt", filename: "x" });
    const presigned = signed?.presigned ?? "";
    const shown = await open("shown.txt", presigned);
    expect([shown.status, await shown.text(), shown.headers.get("content-security-policy")]).toEqual([200, "shown.txt", "sandbox"]);
    for (const [key, query, storage] of [
      ["other.txt", presigned, "_default_"],
      ["shown.txt", presigned, "_stack_"],
      ["shown.txt", "", "_default_"],
      ["shown.txt", presigned.replace(/\d+\./, "9999999999."), "_default_"],
    ] as const) {
      const refused = await open(key, query, storage);
      expect([refused.status, refused.headers.get("x-svc-error")]).toEqual([403, "file.link"]);
    }
    const unknown = await fetch(`${ws.api.url}/api/w/no-such-workspace/s3_proxy/_default_/shown.txt?${presigned}`);
    expect([unknown.status, unknown.headers.get("x-svc-error")]).toEqual([403, "file.link"]);
  });

  it.each(["50%25 off.txt", "100%.txt", "a%2Fb%zz.txt", "é + & ? #%.txt"])("a link shows a file named %s", async (name) => {
    expectStatus(await ws.call("POST", "job_helpers/upload_s3_file", { body: name, query: { file_key: name } }), 200);
    const [signed] = expectStatus(await sign([{ s3: name }]), 200).json as { presigned: string }[];
    const shown = await open(encodeURIComponent(name), signed?.presigned ?? "");
    expect([shown.status, await shown.text()]).toEqual([200, name]);
  });

  it("a link expires at its time, and redirects to the bucket for a large file", async () => {
    const { url, file_key } = (await ws.post("job_helpers/presign_upload", { file_key: "big link.bin" })).json as {
      url: string;
      file_key: string;
    };
    const large = Buffer.alloc(6 * 1024 * 1024, "svc");
    await fetch(url, { method: "PUT", body: large });
    const [signed] = (await sign([{ s3: file_key }], { expiry_secs: 2 })).json as { presigned: string }[];
    const found = await open(encodeURIComponent(file_key), signed?.presigned ?? "");
    expect(Buffer.from(await found.arrayBuffer()).equals(large)).toBe(true);
    await expect
      .poll(async () => (await open(encodeURIComponent(file_key), signed?.presigned ?? "")).status, { timeout: 10_000 })
      .toBe(403);
  });

  it("a link accepts the short form of a file, and ends when the encryption key is replaced", async () => {
    await ws.call("POST", "job_helpers/upload_s3_file", { body: "short", query: { file_key: "short.txt" } });
    const signed = async () => ((await sign([{ s3: "s3://_stack_/short.txt" }])).json as { presigned: string }[])[0];
    const before = await signed();
    expect(before).toMatchObject({ s3: "short.txt", storage: "_stack_" });
    expect(await (await open("short.txt", before?.presigned ?? "", "_stack_")).text()).toBe("short");
    expectStatus(await ws.post("workspaces/encryption_key", { new_key: "a-new-key-that-is-long-enough-to-be-one" }), 200);
    expect((await open("short.txt", before?.presigned ?? "", "_stack_")).status).toBe(403);
    const after = await signed();
    expect((await open("short.txt", after?.presigned ?? "", "_stack_")).status).toBe(200);
  });

  it("only users who may read the file create a link to it", async () => {
    const bob = await member(ws, "bob");
    await ws.call("POST", "job_helpers/upload_s3_file", { body: "x", query: { file_key: "f/t/secret.txt" } });
    expect((await sign([{ s3: "f/t/secret.txt" }], {}, bob.in(ws))).status).toBe(404);
  });
});

describe("file bytes (api.md 2.7)", () => {
  it("files without a content type arrive unchanged", async () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 256);
    const sent = await fetch(`${ws.api.url}/api/w/${ws.id}/job_helpers/upload_s3_file`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}` },
      body: bytes,
    });
    const { file_key } = (await sent.json()) as { file_key: string };
    const back = await fetch(`${ws.api.url}/api/w/${ws.id}/job_helpers/download_s3_file?${new URLSearchParams({ file_key })}`, {
      headers: { authorization: `Bearer ${ws.api.token}` },
    });
    expect(Buffer.from(await back.arrayBuffer()).equals(bytes)).toBe(true);
  });
});
