import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { unpackTar } from "modern-tar";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { api } from "../../support/api/api.ts";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";

let cli: InstalledCli;
let ws: Workspace;
beforeAll(async () => {
  [cli, ws] = await Promise.all([installCli(), newWorkspace()]);
  await ws.post("variables/create", { path: "f/t/name", value: "v", is_secret: false, description: "" });
});
afterAll(() => cli?.remove());

/** Requests an archive without following a redirect. */
const fetchArchive = (query: Record<string, string> = {}, headers: Record<string, string> = {}, token = api().token) =>
  fetch(`${api().url}/api/w/${ws.id}/workspaces/tarball?${new URLSearchParams(query)}`, {
    redirect: "manual",
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

/** Saves apps of random text, of which an archive is larger than a reply may be. */
async function addLargeApps(): Promise<void> {
  for (const path of ["f/t/large1", "f/t/large2"]) {
    const text = randomBytes(1_800_000).toString("base64");
    expectStatus(await ws.post("apps/create", { path, summary: "", value: { text }, policy: { execution_mode: "viewer" } }), 201);
  }
}

describe("the archive of a workspace", () => {
  it.each(["zip", "tar"])("is the same %s each time, and is not sent to a client that already has it", async (archive_type) => {
    const [first, second] = [await fetchArchive({ archive_type }), await fetchArchive({ archive_type })];
    const [etag] = [first, second].map(({ headers }) => headers.get("etag"));
    expect([first.status, second.status, second.headers.get("etag")]).toEqual([200, 200, etag]);
    expect(await first.bytes()).toEqual(await second.bytes());
    const unchanged = await fetchArchive({ archive_type }, { "if-none-match": etag ?? "" });
    expect([unchanged.status, await unchanged.text(), unchanged.headers.get("etag")]).toEqual([304, "", etag]);
    await ws.post(`variables/update/f/t/name`, { description: `seen as ${archive_type}` });
    expect((await fetchArchive({ archive_type }, { "if-none-match": etag ?? "" })).status).toBe(200);
  });

  it("is refused in another format, with a text by which clients recognise the reason", async () => {
    const refused = await fetchArchive({ archive_type: "rar" });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("Invalid Archive Type")]);
  });

  it("is refused to a member who requests a kind that only administrators may read", async () => {
    const bob = await member(ws, "bob");
    expect((await fetchArchive({}, {}, bob.api.token)).status).toBe(200);
    for (const kind of ["include_settings", "include_key"]) {
      expect([kind, (await fetchArchive({ [kind]: "true" }, {}, bob.api.token)).status]).toEqual([kind, 403]);
    }
  });

  it("is a link that is valid for five minutes if it is large, and the command line follows it without its token", async () => {
    await addLargeApps();
    const readers = { zip: (bytes: Uint8Array) => Object.keys(unzipSync(bytes)), tar: listTar };
    for (const [archive_type, list] of Object.entries(readers)) {
      const redirect = await fetchArchive({ archive_type });
      const link = new URL(redirect.headers.get("location") ?? "");
      expect([redirect.status, link.searchParams.get("X-Amz-Expires")]).toEqual([302, String(limits.archiveLinkS)]);
      const archive = await (await fetch(link)).bytes();
      expect(archive.length).toBeGreaterThan(limits.archiveReplyBytes);
      expect(await list(archive)).toContain("f/t/large1.app.json");
      const unchanged = await fetchArchive({ archive_type }, { "if-none-match": redirect.headers.get("etag") ?? "" });
      expect(unchanged.status).toBe(304);
    }

    const folder = cli.newFolder();
    writeFileSync(join(folder, "svc.yaml"), "{}\n");
    const env = { SVC_URL: api().url, SVC_TOKEN: api().token, SVC_WORKSPACE: ws.id };
    const pull = () => cli.run(["sync", "pull", "--yes", "--verbose"], { cwd: folder, env });
    const first = await pull();
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toMatch(/workspaces\/tarball 302 .*\nGET http\S+\/archives\/\S+ 200 /);
    expect(readFileSync(join(folder, "f/t/large2.app/app.yaml"), "utf8").length).toBeGreaterThan(2_000_000);
    const second = await pull();
    expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining("workspaces/tarball 304 ") });
    expect(second.stderr).not.toContain("/archives/");
  });
});

const listTar = async (bytes: Uint8Array) => (await unpackTar(bytes)).map(({ header }) => header.name);
