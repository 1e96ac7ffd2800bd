import { beforeAll, describe, expect, it } from "vitest";
import { buckets } from "../../aws/s3/buckets.ts";
import { limits } from "../../contract/limits.ts";
import { fileRoutes } from "../../contract/routes/stored/files.ts";
import { uploadRoutes } from "../../contract/routes/stored/uploads.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { getFileMetadata } from "./files.ts";
import { completeUpload, deleteUpload, getUpload, presignParts, startUpload } from "./uploads.ts";

const MB = 1024 * 1024;
/** A file of two parts. */
const BYTES = 8 * MB + 5;
const first = Buffer.alloc(8 * MB, "a");
const second = Buffer.from("bbbbb");

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const deps = () => ({ ...world.deps, buckets, uploadsUrl: "https://svc.example.com/upload" });
const caller = (actor = anAdmin) => ({ actor, action: uploadRoutes.startUpload, workspace: world.workspace });
const start = (fileKey: string, bytes = BYTES) => startUpload(deps(), caller(), { fileKey, bytes, contentType: "text/csv" });

async function send(id: string, number: number, body: Buffer): Promise<number> {
  const [part] = await presignParts(deps(), caller(), id, [number]);
  const { status } = await fetch(part?.url ?? "", { method: "PUT", body: new Uint8Array(body) });
  return status;
}
const sendAll = async (id: string) => [await send(id, 1, first), await send(id, 2, second)];

const metadataOf = (fileKey: string) =>
  getFileMetadata(deps(), { ...caller(), action: fileRoutes.fileMetadata }, fileKey, {}).catch(({ code }) => code);
const textAt = async (fileKey: string, from: number) => {
  const found = await buckets.own().getObject(`files/${world.workspace}/${fileKey}`, BYTES, { from, bytes: 10 });
  return found && "bytes" in found ? found.bytes.toString() : undefined;
};

describe("an upload in parts", () => {
  it("continues after an interruption, and its file appears when all parts are stored", async () => {
    const upload = await start("one.csv");
    expect(upload).toMatchObject({ file_key: "one.csv", size: BYTES, part_bytes: 8 * MB, parts: 2, stored: [] });
    expect(await send(upload.id, 2, second)).toBe(200);
    await expect(completeUpload(deps(), caller(), upload.id)).rejects.toMatchObject({
      code: "upload.incomplete",
      details: { missing: [1] },
    });
    expect(await metadataOf("one.csv")).toBe("file.notFound");
    expect(await getUpload(deps(), caller(), upload.id)).toEqual({ ...upload, stored: [2] });
    expect(await send(upload.id, 1, first)).toBe(200);
    expect(await completeUpload(deps(), caller(), upload.id)).toBe("one.csv");
    expect(await metadataOf("one.csv")).toMatchObject({ mime_type: "text/csv", size_in_bytes: BYTES });
    expect(await textAt("one.csv", 8 * MB - 2)).toBe("aabbbbb");
  });

  it("has an address at the origin of the service for each part, and none beyond the last one", async () => {
    const { id } = await start("addresses.csv");
    const parts = await presignParts(deps(), caller(), id, [1, 2, 3]);
    expect(parts.map(({ number }) => number)).toEqual([1, 2]);
    for (const { number, url, upload_url } of parts) {
      const { pathname, search, searchParams } = new URL(url);
      expect(upload_url).toBe(`https://svc.example.com/upload${pathname}${search}`);
      expect([searchParams.get("partNumber"), searchParams.get("X-Amz-Expires")]).toEqual([String(number), "3600"]);
    }
  });

  it("is not complete while a part has another size than the upload says", async () => {
    const { id } = await start("sizes.csv");
    await send(id, 1, first);
    await send(id, 2, Buffer.from("bbbbbb"));
    await expect(completeUpload(deps(), caller(), id)).rejects.toMatchObject({ code: "upload.incomplete", details: { missing: [2] } });
    expect((await getUpload(deps(), caller(), id)).stored).toEqual([1]);
  });

  it("contains the latest bytes of a part that was sent twice", async () => {
    const { id } = await start("twice.csv");
    await sendAll(id);
    expect(await send(id, 2, Buffer.from("ccccc"))).toBe(200);
    await completeUpload(deps(), caller(), id);
    expect(await textAt("twice.csv", 8 * MB)).toBe("ccccc");
  });

  it("is completed by a repeated request, and by its state is seen to be complete, until another upload replaces the file", async () => {
    const { id } = await start("again.csv");
    await sendAll(id);
    await completeUpload(deps(), caller(), id);
    expect(await completeUpload(deps(), caller(), id)).toBe("again.csv");
    expect((await getUpload(deps(), caller(), id)).stored).toEqual([1, 2]);
    await buckets.own().putObject(`files/${world.workspace}/again.csv`, Buffer.alloc(BYTES), "text/csv");
    await expect(completeUpload(deps(), caller(), id)).rejects.toMatchObject({ code: "upload.notFound" });
    await expect(getUpload(deps(), caller(), id)).rejects.toMatchObject({ code: "upload.notFound" });
  });

  it("has one result if two requests complete it at once", async () => {
    const { id } = await start("both.csv");
    await sendAll(id);
    const results = await Promise.all([completeUpload(deps(), caller(), id), completeUpload(deps(), caller(), id)]);
    expect(results).toEqual(["both.csv", "both.csv"]);
  });

  it("does not mix its parts with those of another upload to the same key, and the later completion counts", async () => {
    const [one, two] = await Promise.all([start("same.csv", 5), start("same.csv", 5)]);
    expect(one.id).not.toBe(two.id);
    await send(one.id, 1, Buffer.from("aaaaa"));
    await send(two.id, 1, second);
    await completeUpload(deps(), caller(), one.id);
    expect(await textAt("same.csv", 0)).toBe("aaaaa");
    await completeUpload(deps(), caller(), two.id);
    expect(await textAt("same.csv", 0)).toBe("bbbbb");
  });

  it("ends without a file when it is deleted, and its URLs with it", async () => {
    const { id } = await start("ended.csv");
    const [part] = await presignParts(deps(), caller(), id, [1]);
    await deleteUpload(deps(), caller(), id);
    await deleteUpload(deps(), caller(), id);
    expect((await fetch(part?.url ?? "", { method: "PUT", body: "a" })).status).toBe(404);
    await expect(getUpload(deps(), caller(), id)).rejects.toMatchObject({ code: "upload.notFound" });
    expect(await metadataOf("ended.csv")).toBe("file.notFound");
  });

  it("cannot be continued after its time", async () => {
    const { id } = await start("late.csv", 5);
    await send(id, 1, second);
    world.clock.nowMs += limits.uploadMs;
    for (const call of [getUpload, completeUpload]) {
      await expect(call(deps(), caller(), id)).rejects.toMatchObject({ code: "upload.notFound" });
    }
    await expect(presignParts(deps(), caller(), id, [1])).rejects.toMatchObject({ code: "upload.notFound" });
    expect(await metadataOf("late.csv")).toBe("file.notFound");
  });

  it("is found by its starter in its workspace alone", async () => {
    const { id } = await start("mine.csv");
    const others = [caller({ ...anAdmin, email: "eve@example.com", username: "eve" }), { ...caller(), workspace: "other" }];
    for (const other of others) {
      for (const call of [getUpload, completeUpload]) {
        await expect(call(deps(), other, id)).rejects.toMatchObject({ code: "upload.notFound" });
      }
      await expect(presignParts(deps(), other, id, [1])).rejects.toMatchObject({ code: "upload.notFound" });
      await deleteUpload(deps(), other, id);
    }
    expect((await getUpload(deps(), caller(), id)).stored).toEqual([]);
  });

  it("cannot be continued by a starter who may not write the file any more", async () => {
    const { id } = await start("f/ops/shared.csv");
    const reader = { ...aReader(world.workspace, ["ops"]), email: anAdmin.email };
    const refused = { code: "auth.forbidden" };
    await expect(completeUpload(deps(), caller(reader), id)).rejects.toMatchObject(refused);
    await expect(presignParts(deps(), caller(reader), id, [1])).rejects.toMatchObject(refused);
    await expect(deleteUpload(deps(), caller(reader), id)).rejects.toMatchObject(refused);
    await expect(startUpload(deps(), caller(reader), { fileKey: "f/ops/other.csv", bytes: 5 })).rejects.toMatchObject(refused);
  });

  it("refuses the key of a job's file, and a storage that does not exist", async () => {
    await expect(start(`long-lived/0195d3f0-0000-7000-8000-000000000000/a`)).rejects.toMatchObject({ code: "file.ofJob" });
    await expect(startUpload(deps(), caller(), { storage: "none", bytes: 5 })).rejects.toMatchObject({ code: "file.storage" });
  });

  it("gets a key that only its starter may read, if the request names none", async () => {
    const upload = await startUpload(deps(), caller(), { extension: ".csv", bytes: 5 });
    expect(upload.file_key).toMatch(/^u\/ann\/uploads\/.*\.csv$/);
    await send(upload.id, 1, second);
    expect(await completeUpload(deps(), caller(), upload.id)).toBe(upload.file_key);
  });

  it("is completed after any failed write, by the calls that the failure has left undone", async () => {
    await expectToSurviveFaults(async () => {
      const fileKey = `${crypto.randomUUID()}.csv`;
      let id: string | undefined;
      const act = async () => {
        id ??= (await start(fileKey, 5)).id;
        await send(id, 1, second);
        await completeUpload(deps(), caller(), id);
      };
      return { act, recover: act, check: async () => expect(await textAt(fileKey, 0)).toBe("bbbbb") };
    });
  });
});
