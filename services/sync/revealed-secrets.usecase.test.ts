import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { actions } from "../../contract/access/actions.ts";
import { newResourceSchema } from "../../contract/routes/stored/resources.ts";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { findAuditEntries } from "../audit/audit.ts";
import { getStorageResource } from "../files/share.ts";
import { getWebhookSecret, rotateWebhookSecret } from "../notifications/webhook-secret.ts";
import { getInterpolatedResource } from "../resources/resolve.ts";
import { createResource } from "../resources/save.ts";
import { readExportKey } from "../secrets/read-export-key.ts";
import type { SecretReader } from "../secrets/reveal.ts";
import { getVariable, getVariableValue } from "../variables/read.ts";
import { createVariable, updateVariable } from "../variables/save.ts";
import { createWorkspaceArchive } from "./create-archive.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
  const caller = { actor: anAdmin, workspace: world.workspace };
  const variable = (path: string, is_secret: boolean) => newVariableSchema.parse({ path, value: "planted", is_secret, description: "" });
  await createVariable(world.deps, caller, variable("f/t/secret", true));
  await createVariable(world.deps, caller, variable("f/t/plain", false));
  for (const path of ["f/t/opened", "f/t/replaced"]) await createVariable(world.deps, caller, variable(path, true));
  const resource = (path: string, value: object, resource_type = "any") => newResourceSchema.parse({ path, value, resource_type });
  await createResource(world.deps, caller, resource("f/t/db", { password: "$var:f/t/secret" }));
  await createResource(world.deps, caller, resource("f/t/open", { host: "$var:f/t/plain" }));
  const bucket = {
    bucket: "b",
    region: "eu-central-1",
    accessKey: "AKIA0000",
    secretKey: "$var:f/t/secret",
    useSSL: true,
    endPoint: "s3.example.com",
  };
  await createResource(world.deps, caller, resource("f/t/bucket", bucket, "s3"));
});

const makePlain = (reader: SecretReader, path: string, change: object = {}) =>
  updateVariable(world.deps, { ...reader, path }, { is_secret: false, ...change });
const view = (decrypted: boolean, encrypted: boolean) => ({ decrypted, encrypted });
const archive = (query: object) => (reader: SecretReader) => createWorkspaceArchive(world.deps, reader, query);

/** Every call that returns a decrypted value, or one that can be decrypted, and the name of the value in the audit log. */
const reads: [what: string, read: (reader: SecretReader) => Promise<unknown>, resource: string | undefined][] = [
  ["a variable", (reader) => getVariable(world.deps, reader, "f/t/secret", view(true, false)), "f/t/secret"],
  ["an exported variable", (reader) => getVariable(world.deps, reader, "f/t/secret", view(false, true)), "f/t/secret"],
  ["the value of a variable", (reader) => getVariableValue(world.deps, reader, "f/t/secret"), "f/t/secret"],
  ["a resource with its references", (reader) => getInterpolatedResource(world.deps, reader, "f/t/db"), "f/t/db"],
  [
    "the keys of a storage",
    (reader) => getStorageResource(world.deps, { ...reader, action: actions.downloadFile }, { s3_resource_path: "f/t/bucket" }),
    "f/t/bucket",
  ],
  ["the secrets of an archive", archive({ plain_secret: true }), undefined],
  ["the key of an archive", archive({ include_key: true, skip_variables: true }), "encryption_key"],
  ["the encryption key", (reader) => readExportKey(world.deps, reader), "encryption_key"],
  ["the secret of webhooks", (reader) => getWebhookSecret(world.deps, reader), undefined],
  ["a secret that becomes plain", (reader) => makePlain(reader, "f/t/opened"), "f/t/opened"],
];

async function entriesOf(read: (reader: SecretReader) => Promise<unknown>) {
  const operation = `test.${Math.random()}`;
  const value = await read({ actor: anAdmin, workspace: world.workspace, token: "", operation });
  const { entries } = await findAuditEntries(world.deps, world.workspace, { operation });
  return { value, entries };
}

describe("the audit log", () => {
  it.each(reads)("has an entry for each read of %s, without the value", async (_, read, resource) => {
    const { entries } = await entriesOf(read);
    expect(entries).toMatchObject([{ username: "ann@example.com", action_kind: "Execute", ...(resource ? { resource } : {}) }]);
    expect(JSON.stringify(entries)).not.toMatch(/planted|whsec_/);
  });

  it.each<[string, (reader: SecretReader) => Promise<unknown>]>([
    ["a plain variable", (reader) => getVariableValue(world.deps, reader, "f/t/plain")],
    ["a secret without its value", (reader) => getVariable(world.deps, reader, "f/t/secret", view(false, false))],
    ["a resource that refers to no secret", (reader) => getInterpolatedResource(world.deps, reader, "f/t/open")],
    ["an archive with exported secrets", archive({})],
    ["a secret that a plain value replaces", (reader) => makePlain(reader, "f/t/replaced", { value: "other" })],
  ])("has no entry for the read of %s", async (_, read) => {
    expect((await entriesOf(read)).entries).toEqual([]);
  });

  it("is written before a value is returned, so that no value is returned without an entry", async () => {
    const objects = { ...world.deps.objects, put: () => Promise.reject(new Error("No table.")) };
    const reader = { actor: anAdmin, workspace: world.workspace, token: "", operation: "test" };
    await expect(getVariableValue({ ...world.deps, objects }, reader, "f/t/secret")).rejects.toThrow("No table.");
  });
});

it("a job receives a new secret of webhooks only after it was recorded, so that its output is masked", async () => {
  const { email, username, superAdmin } = anAdmin;
  const ended = { kind: "job", jobId: randomUUID(), attempt: 1, workspace: world.workspace, permissionedAs: "u/ann" } as const;
  const job = { actor: { email, username, superAdmin, ...ended }, workspace: world.workspace, token: "t", operation: "test" };
  const read = () => getWebhookSecret(world.deps, { actor: anAdmin, workspace: world.workspace, token: "", operation: "test" });
  const before = await read();
  await expect(rotateWebhookSecret(world.deps, job)).rejects.toMatchObject({ code: "auth.invalid" });
  expect(await read()).toBe(before);
});

/** The files that decrypt values. Those with a reader call `revealSecrets`; the others use the values themselves. */
const decrypting: Readonly<Record<string, "reveals" | "uses">> = {
  "services/execution/resolve-and-execute.ts": "uses",
  "services/files/share.ts": "reveals",
  "services/files/storages.ts": "uses",
  "services/flows/lifecycle/start.ts": "uses",
  "services/flows/runtime/expressions/evaluate-with-reads.ts": "uses",
  "services/resources/resolve.ts": "reveals",
  "services/secrets/read-export-key.ts": "reveals",
  "services/secrets/rotate-workspace-key.ts": "uses",
  "services/secrets/sealed-copies.ts": "uses",
  "services/secrets/unseal.ts": "uses",
  "services/sync/load-objects.ts": "reveals",
  "services/triggers/receive/poll-queues.ts": "uses",
  "services/variables/read.ts": "reveals",
  // A secret that becomes plain.
  "services/variables/save.ts": "reveals",
};
const DECRYPTS = /\b(unsealValue|loadPlainValue|loadExportKey|resolveReferences|resolveResource|loadStorageResource)\(/;

const sourcesIn = (...folders: string[]) =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts")),
  );

it("values are decrypted in two modules only, whose importers .dependency-cruiser.cjs lists", () => {
  const found = sourcesIn("aws", "core", "services", "functions").filter((name) => readFileSync(name, "utf8").includes("createDecipheriv"));
  expect(found.toSorted()).toEqual(["core/secrets/mask-encryption.ts", "core/secrets/open.ts"]);
  const rules = readFileSync(".dependency-cruiser.cjs", "utf8");
  for (const name of [...found, "services/secrets/unseal.ts"]) expect(rules).toContain(`"${name}": "`);
});

it("every file that decrypts values is listed, and requests the audit entry if a reader receives them", () => {
  const found = sourcesIn("services", "functions").filter((name) => DECRYPTS.test(readFileSync(name, "utf8")));
  expect(found.toSorted()).toEqual(Object.keys(decrypting));
  const reveal = found.filter((name) => /\brevealSecrets\(/.test(readFileSync(name, "utf8")));
  expect(reveal.toSorted()).toEqual(Object.keys(decrypting).filter((name) => decrypting[name] === "reveals"));
});
