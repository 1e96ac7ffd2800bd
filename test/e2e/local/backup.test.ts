import { generateKeyPairSync, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { member, type Someone } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace, workspaceOf } from "../../support/api/workspace.ts";
import { type InstalledCli, installCli } from "../../support/cli/installed-cli.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";

const SECRET = `hush-${randomUUID()}`;
/** The setting of another client, which may contain a secret. */
const SETTING = `smtp-${randomUUID()}`;
const TOKEN = `token-${randomUUID()}`;
const WEBHOOK = `https://hooks.example.com/${TOKEN}`;

let cli: InstalledCli;
let ws: Workspace;
let old: Workspace;
let amy: Someone;
let instance: TestInstance | undefined;
let folder: string;
beforeAll(async () => {
  [cli, ws, old] = await Promise.all([installCli(), newWorkspace(), newWorkspace()]);
  folder = cli.newFolder();
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  writeFileSync(join(folder, "backup.pub"), publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(join(folder, "backup.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

const svc = (args: string[], { url, token }: { url: string; token: string } = api()) =>
  cli.run([...args, "--yes"], { cwd: folder, env: { SVC_URL: url, SVC_TOKEN: token } });
/** All files of a backup. */
const filesOf = (name: string) =>
  readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("a backup of an instance", () => {
  it("contains no value of a secret, is readable for its owner alone, and names everything that it leaves out", async () => {
    amy = await member(ws, "amy");
    expectStatus(await ws.post("groups/create", { name: "ops" }), 201);
    expectStatus(await ws.post("groups/adduser/ops", { username: amy.username }), 200);
    expectStatus(await ws.post("folders/addowner/t", { owner: `u/${amy.username}` }), 200);
    expectStatus(await ws.post("variables/create", { path: "f/t/secret", value: SECRET, is_secret: true, description: "" }), 201);
    const content = `[ "$1" = "${SECRET.slice(0, 4)}" ] && exit 1\nprintf '%s' "$1" | wc -c`;
    await ws.saveScript({ path: "f/t/measure", language: "bash", content: `value="$1"\n${content}` });
    const schedule = { path: "f/t/nightly", schedule: "0 0 3 1 1 *", timezone: "UTC", script_path: "f/t/measure", is_flow: false };
    expectStatus(await amy.in(ws).post("schedules/create", { ...schedule, args: { value: "$var:f/t/secret" }, enabled: true }), 201);

    expectStatus(await ws.post("workspaces/edit_webhook", { webhook: WEBHOOK }), 200);
    expectStatus(await api().post(`settings/global/${SETTING}`, { value: { password: TOKEN } }), 200);

    expectStatus(await old.post("workspaces/archive"), 200);

    const plain = await svc(["backup", "plain", "--only", ws.id, old.id]);
    expect(plain).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`1 secret variables of ${ws.id}: f/t/secret. --seal-for includes them.`),
    });
    for (const line of [
      "passwords, tokens",
      `the setting ${SETTING}, which may contain secrets.`,
      `settings of ${ws.id} that may contain secrets: webhook`,
    ])
      expect(plain.stderr).toContain(line);
    const sealed = await svc(["backup", "sealed", "--only", ws.id, old.id, "--seal-for", "backup.pub"]);
    expect(sealed).toMatchObject({ code: 0 });
    const { key } = (await ws.get("workspaces/encryption_key")).json as { key: string };
    for (const file of [...filesOf("plain"), ...filesOf("sealed")]) {
      const text = readFileSync(file, "utf8");
      const found = [SECRET, key, TOKEN].filter((secret) => text.includes(secret));
      expect([file, found, statSync(file).mode & 0o077]).toEqual([file, [], 0]);
    }
    expect(filesOf("plain").some((file) => file.includes("secret.variable"))).toBe(false);
  });

  it("is written to an empty folder by a superadmin alone, and sealed for a public key", async () => {
    expect(await svc(["backup", "sealed"])).toMatchObject({ code: 2, stderr: expect.stringContaining("is not empty") });
    expect(await svc(["backup", "other", "--seal-for", "backup.key"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("private key"),
    });
    const refused = await svc(["backup", "refused"], { url: api().url, token: amy.api.token });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("superadmin") });
    expect(await svc(["restore", "refused"])).toMatchObject({ code: 2, stderr: expect.stringContaining("no complete backup") });
  });
});

describe("a restore on an empty instance", () => {
  it("brings back users, rights, scripts, schedules and secrets, and can be repeated", async () => {
    instance = await startTestInstance();
    const target = { url: instance.url, token: instance.admin.token };
    const restored = workspaceOf(api(target), ws.id);
    expect(await svc(["restore", "plain"], target)).toMatchObject({ code: 0 });
    expect((await restored.get("variables/exists/f/t/secret")).json).toBe(false);
    const settings = async () => [
      (await api(target).get(`settings/global/${SETTING}`)).json,
      ((await restored.get("workspaces/get_settings")).json as { webhook?: string }).webhook,
    ];
    expect(await settings()).toEqual([null, undefined]);
    // Another private key opens nothing.
    const { privateKey } = generateKeyPairSync("x25519");
    writeFileSync(join(folder, "wrong.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
    const wrong = await svc(["restore", "sealed", "--unseal-with", "wrong.key"], target);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/The settings of the instance cannot be opened/) });

    for (const _call of ["first", "second"]) {
      expect(await svc(["restore", "sealed", "--unseal-with", "backup.key"], target)).toMatchObject({ code: 0 });
      const workspaces = (await api(target).get("workspaces/list_as_superadmin")).json;
      const expected = [expect.objectContaining({ id: old.id, deleted: true }), expect.objectContaining({ id: ws.id, name: ws.id })];
      expect(workspaces).toEqual(expect.arrayContaining(expected));
      const list = async (route: string, from: Workspace) => (await from.get(route)).json as Record<string, unknown>[];
      const pick = (rows: Record<string, unknown>[], ...names: string[]) => rows.map((row) => names.map((name) => row[name]));
      expect(pick(await list("users/list", restored), "email", "username", "is_admin")).toEqual(
        pick(await list("users/list", ws), "email", "username", "is_admin"),
      );
      expect((await restored.get("groups/get/ops")).json).toMatchObject({ members: expect.arrayContaining([amy.username]) });
      expect((await restored.get("folders/get/t")).json).toMatchObject({ owners: expect.arrayContaining([`u/${amy.username}`]) });
      expect(await settings()).toEqual([{ password: TOKEN }, WEBHOOK]);
      // Runs of the schedule have the rights of its author, and not those of the person who restores.
      const schedule = { permissioned_as: `u/${amy.username}`, email: amy.email, enabled: true };
      expect((await restored.get("schedules/get/f/t/nightly")).json).toMatchObject(schedule);
      const run = await restored.runWait("f/t/measure", { value: "$var:f/t/secret" });
      expect([run.status, String(run.json).trim()]).toEqual([200, String(SECRET.length)]);
    }
    expect((await api(target).get(`users/exists/${amy.email}`)).json).toBe(true);
  });
});
