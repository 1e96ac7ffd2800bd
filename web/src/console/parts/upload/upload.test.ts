import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeStorage } from "../../../../../test/support/console/storage.ts";
import { listUnfinished } from "./unfinished.ts";
import { discardUpload, isInParts, upload } from "./upload.ts";

const MB = 1024 * 1024;
const ann = { workspace: "ops", username: "ann" };
const target = { key: "f/t/large.bin", storage: undefined };
const file = new File([new Uint8Array(17 * MB)], "large.bin", { lastModified: 5 });

/** The service and the storage. */
interface Service {
  calls: string[];
  uploads: Map<string, Set<number>>;
  /** The numbers of the parts that the storage does not answer. */
  silent: Set<number>;
  /** Whether pages have an address for parts. */
  hasPageUrl: boolean;
  /** Resolves when the storage has received a part that it does not answer. */
  received: PromiseWithResolvers<void>;
}
let service: Service;

const json = (value: unknown, status = 200, headers = {}) =>
  new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json", ...headers } });

async function answer(address: string, { method, body }: RequestInit): Promise<Response> {
  const [, call = "", id = ""] = /uploads\/(\w+)\/?(.*)$/.exec(address) ?? [];
  service.calls.push(call);
  const state = (name: string) => ({
    id: name,
    file_key: target.key,
    size: file.size,
    part_bytes: 8 * MB,
    parts: 3,
    stored: [...(service.uploads.get(name) ?? [])],
  });
  if (call === "start") {
    const name = `upload-${service.uploads.size + 1}`;
    service.uploads.set(name, new Set());
    return json({ ...state(name), expires_at: new Date(Date.now() + 24 * 3600 * 1000).toISOString() }, 201);
  }
  if (method === "DELETE") service.uploads.delete(id);
  else if (!service.uploads.has(id))
    return new Response("You have no such upload.", { status: 404, headers: { "x-svc-error": "upload.notFound" } });
  if (call !== "presign") return json(state(id));
  const { numbers } = JSON.parse(String(body)) as { numbers: number[] };
  const url = `https://svc.example.com/upload/${id}/${numbers[0]}?X-Amz-Signature=secret`;
  return json([{ number: numbers[0], url, ...(service.hasPageUrl ? { upload_url: url } : {}) }]);
}

class FakeRequest {
  upload: { onprogress?: (event: { loaded: number }) => void } = {};
  status = 0;
  responseText = "";
  onload?: () => void;
  onabort?: () => void;
  onloadend?: () => void;
  private id = "";
  private number = 0;
  open(_: string, address: string) {
    const [, id = "", number = ""] = /^\/upload\/([\w-]+)\/(\d+)\?/.exec(address) ?? [];
    this.id = id;
    this.number = Number(number);
  }
  setRequestHeader() {}
  getResponseHeader() {
    return null;
  }
  send({ size }: Blob) {
    this.upload.onprogress?.({ loaded: 1 });
    if (service.silent.has(this.number)) return service.received.resolve();
    service.uploads.get(this.id)?.add(this.number);
    this.status = size <= 8 * MB ? 200 : 400;
    queueMicrotask(() => {
      this.onload?.();
      this.onloadend?.();
    });
  }
  abort() {
    this.onabort?.();
    this.onloadend?.();
  }
}

beforeEach(() => {
  service = { calls: [], uploads: new Map(), silent: new Set(), hasPageUrl: true, received: Promise.withResolvers() };
  vi.stubGlobal("localStorage", fakeStorage());
  vi.stubGlobal("fetch", answer);
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
});
afterEach(() => vi.unstubAllGlobals());

/** Begins an upload whose third part gets no answer, and ends the page. */
async function interrupt(): Promise<string> {
  const controller = new AbortController();
  service.silent.add(3);
  let id = "";
  const onStart = (started: string) => {
    id = started;
  };
  const sending = upload(ann, file, { onBytes: () => undefined, onStart, signal: controller.signal, target });
  await service.received.promise;
  await expect.poll(() => listUnfinished(ann)[0]?.storedBytes).toBe(16 * MB);
  controller.abort(new Error("The page was closed."));
  await expect(sending).rejects.toThrow("The page was closed.");
  service.silent.clear();
  return id;
}

/** Uploads the file, and returns the key and what the page showed. */
async function send(chosen = file) {
  const shown: number[] = [];
  const { signal } = new AbortController();
  const key = await upload(ann, chosen, { onBytes: (bytes) => shown.push(bytes), onStart: () => undefined, signal, target });
  return { key, shown };
}

describe("the upload of a large file", () => {
  it("continues after the page was closed, if the person chooses the same file for the same key", async () => {
    const id = await interrupt();
    service.calls.splice(0);
    const { key, shown } = await send();
    expect([key, shown[0], shown.at(-1)]).toEqual([target.key, 16 * MB, file.size]);
    expect(service.calls).toEqual(["get", "presign", "complete"]);
    expect([...(service.uploads.get(id) ?? [])].sort()).toEqual([1, 2, 3]);
    expect(listUnfinished(ann)).toEqual([]);
  });

  it("leaves no address of a part in the storage of the browser", async () => {
    await interrupt();
    expect(listUnfinished(ann)).toHaveLength(1);
    expect(JSON.stringify(localStorage)).not.toMatch(/https|Signature/);
  });

  it("begins again for a changed file, and if the service does not have the earlier upload any more", async () => {
    const id = await interrupt();
    await send(new File([await file.arrayBuffer()], "large.bin", { lastModified: 6 }));
    expect(service.uploads.size).toBe(2);
    service.uploads.delete(id);
    service.calls.splice(0);
    expect((await send()).shown[0]).toBe(0);
    expect(service.calls.slice(0, 2)).toEqual(["get", "start"]);
    expect(listUnfinished(ann)).toEqual([]);
  });

  it("is not sent twice to one key at once", async () => {
    await interrupt();
    vi.stubGlobal("navigator", { locks: { request: async (_: string, __: unknown, work: (lock: null) => unknown) => work(null) } });
    await expect(send()).rejects.toMatchObject({ code: "page.uploadElsewhere" });
  });

  it("is discarded in the service and in the browser", async () => {
    await discardUpload(ann, await interrupt());
    expect([service.uploads.size, listUnfinished(ann)]).toEqual([0, []]);
  });

  it("is refused and discarded if the storage takes no parts from pages", async () => {
    service.hasPageUrl = false;
    await expect(send()).rejects.toMatchObject({ code: "page.fileTooLarge" });
    expect([service.uploads.size, listUnfinished(ann)]).toEqual([0, []]);
  });
});

it("a file is sent in parts if it is larger than one", () => {
  expect([isInParts({ size: 8 * MB }), isInParts({ size: 8 * MB + 1 })]).toEqual([false, true]);
});
