import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterEach, expect, it } from "vitest";
import { UNREADABLE } from "../../core/sync/archive.ts";
import { ApiClient } from "../api/client.ts";
import { loadArchive } from "./archive-store.ts";

let server: http.Server | undefined;
afterEach(() => server?.close());

/** Loads an archive that a service sends. */
async function load(bytes: Uint8Array) {
  server = http.createServer((_, response) => response.writeHead(200).end(bytes));
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return loadArchive(new ApiClient({ url, token: "t", workspace: "w" }), join(tmpdir(), "svc-no-project"), { plain_secret: true });
}

it("an entry of an archive that cannot be decompressed does not affect the others", async () => {
  const names = Array.from({ length: 9 }, (_, index) => `f/t/${index}.variable.json`);
  const bytes = zipSync(Object.fromEntries(names.map((name) => [name, strToU8(`{"value":"${name}"}`.repeat(5))])));
  // The compressed bytes follow the name in the header of the entry. A block of type 3 does not exist.
  const start = Buffer.from(bytes).indexOf("f/t/4.variable.json") + "f/t/4.variable.json".length;
  bytes[start] = 0xff;
  const entries = await load(bytes);
  expect([...entries.keys()]).toEqual(names);
  expect(names.filter((name) => entries.get(name) === UNREADABLE)).toEqual(["f/t/4.variable.json"]);
  expect(entries.get("f/t/5.variable.json")).toContain("f/t/5");
});

it("bytes that are not an archive are refused", async () => {
  await expect(load(strToU8("<html>"))).rejects.toThrow("is not a zip file");
});
