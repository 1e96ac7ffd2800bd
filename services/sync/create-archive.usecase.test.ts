import { randomUUID } from "node:crypto";
import { unzipSync } from "fflate";
import { unpackTar } from "modern-tar";
import { beforeAll, describe, expect, it } from "vitest";
import { takeCounts } from "../../aws/sdk/request-counts.ts";
import { limits } from "../../contract/limits.ts";
import { newFlowSchema } from "../../contract/routes/flows/flows.ts";
import { newAppSchema } from "../../contract/routes/stored/apps.ts";
import { newResourceSchema } from "../../contract/routes/stored/resources.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { newVariableSchema } from "../../contract/routes/stored/variables.ts";
import { type ArchiveQuery, archiveQuery } from "../../contract/routes/sync/sync.ts";
import type { Actor, Person } from "../../core/people/actor.ts";
import { importSecret } from "../../core/secrets/open.ts";
import { variableObject } from "../../core/variables/variable.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { addScriptAt, aScheduleRequest } from "../../test/support/use-cases/world-schedules.ts";
import { createApp } from "../apps/save.ts";
import { saveFlow } from "../flows/definitions/save.ts";
import { createFolder } from "../folders/folders.ts";
import { createResource } from "../resources/save.ts";
import { createSchedule } from "../schedules/save.ts";
import { createScript } from "../scripts/create.ts";
import { loadExportKey } from "../secrets/unseal.ts";
import { createVariable } from "../variables/save.ts";
import { createGroup } from "../workspaces/groups.ts";
import { createWorkspaceArchive, storeArchive } from "./create-archive.ts";

let world: World;
const script = { summary: "Hello", content: "select 1", language: "postgresql", path: "f/t/hello" } as const;
const flow = {
  summary: "Two",
  value: { modules: [{ id: "a", value: { type: "rawscript", content: "echo", language: "bash", input_transforms: {} } }] },
};

beforeAll(async () => {
  world = await newWorldWithFolder();
  const caller = { actor: anAdmin as Actor, workspace: world.workspace };
  await createFolder(world.deps, anAdmin, world.workspace, { name: "secret" } as Parameters<typeof createFolder>[3]);
  await createScript(world.deps, caller, newScriptSchema.parse(script), {});
  await saveFlow(world.deps, caller, newFlowSchema.parse({ ...flow, path: "f/t/flow" }));
  await createApp(
    world.deps,
    caller,
    newAppSchema.parse({ path: "f/t/app", value: { grid: [] }, summary: "", policy: { execution_mode: "viewer" } }),
  );
  await createResource(world.deps, caller, newResourceSchema.parse({ path: "f/t/db", value: { host: "h" }, resource_type: "any" }), {});
  for (const [path, value, is_secret] of [
    ["f/t/plain", "p", false],
    ["f/t/token", "hush", true],
    ["f/secret/token", "hush", true],
  ] as const) {
    await createVariable(world.deps, caller, newVariableSchema.parse({ path, value, is_secret, description: "" }));
  }
  await createGroup(world.deps, caller, { name: "team", summary: "A team" });
  await addScriptAt(world, "f/ops/hello");
  await createSchedule(world.deps, caller, aScheduleRequest({ path: "f/t/daily" }));
});

const read = async (query: Partial<Record<keyof ArchiveQuery, string>> = {}, actor: Person = anAdmin) => {
  const { pack, ...archive } = await createWorkspaceArchive(
    world.deps,
    { actor, workspace: world.workspace, token: "", operation: "workspaces.tarball" },
    archiveQuery.parse(query),
  );
  return { ...archive, bytes: await pack() };
};
const entriesOf = ({ bytes }: { bytes: Uint8Array }) =>
  Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, content]) => [name, Buffer.from(content).toString()]));
const everything = {
  include_schedules: "true",
  include_triggers: "true",
  include_users: "true",
  include_groups: "true",
  include_settings: "true",
  include_key: "true",
};

describe("the archive of a workspace", () => {
  it("has an entry for each object, without the fields that the service sets", async () => {
    const entries = entriesOf(await read(everything));
    expect(Object.keys(entries)).toEqual([
      ...[
        "encryption_key.json",
        "f/secret/folder.meta.json",
        "f/secret/token.variable.json",
        "f/t/app.app.json",
        "f/t/daily.schedule.json",
      ],
      ...["f/t/db.resource.json", "f/t/flow.flow.json", "f/t/folder.meta.json", "f/t/hello.pg.sql", "f/t/hello.script.json"],
      ...[
        "f/t/plain.variable.json",
        "f/t/token.variable.json",
        "groups/team.group.json",
        "settings.json",
        "users/ann@example.com.user.json",
      ],
    ]);
    const parsed = (name: string) => JSON.parse(entries[name] ?? "") as unknown;
    expect(entries["f/t/hello.pg.sql"]).toBe("select 1");
    expect(parsed("f/t/hello.script.json")).toEqual({ summary: "Hello", description: "", lock: "" });
    expect(parsed("f/t/flow.flow.json")).toEqual(flow);
    expect(parsed("f/t/app.app.json")).toEqual({ summary: "", value: { grid: [] }, policy: { execution_mode: "viewer" } });
    expect(parsed("f/t/db.resource.json")).toEqual({ value: { host: "h" }, resource_type: "any" });
    expect(parsed("f/t/plain.variable.json")).toEqual({ value: "p", is_secret: false, description: "" });
    expect(parsed("f/t/folder.meta.json")).toEqual({ owners: [], extra_perms: {} });
    expect(parsed("groups/team.group.json")).toEqual({ summary: "A team", admins: [], members: [] });
    const { path, ...schedule } = aScheduleRequest();
    expect(parsed("f/t/daily.schedule.json")).toEqual({ ...schedule, enabled: true });
  });

  it("has the same bytes and ETag each time, as zip and as tar", async () => {
    for (const archive_type of ["zip", "tar"]) expect(await read({ archive_type })).toEqual(await read({ archive_type }));
    const [zip, tar] = await Promise.all([read(), read({ archive_type: "tar" })]);
    const unpacked = (await unpackTar(tar.bytes)).map(({ header, data }) => [header.name, Buffer.from(data ?? []).toString()]);
    expect(Object.fromEntries(unpacked)).toEqual(entriesOf(zip));
  });

  it("states the versions of scripts only to a client that requests them", async () => {
    const [plain, versioned] = [entriesOf(await read()), entriesOf(await read({ include_versions: "true" }))];
    const { "versions.json": versions, ...others } = versioned;
    expect(others).toEqual(plain);
    expect(JSON.parse(versions ?? "{}")).toMatchObject({ "script f/t/hello": expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  it("contains secrets encrypted with the workspace's key, plain, or not at all", async () => {
    const secretIn = async (query: Parameters<typeof read>[0]) =>
      (JSON.parse(entriesOf(await read(query))["f/t/token.variable.json"] ?? "{}") as { value?: string }).value;
    expect(importSecret(await loadExportKey(world.deps, world.workspace), (await secretIn({})) ?? "")?.value).toBe("hush");
    expect(await secretIn({ plain_secret: "true" })).toBe("hush");
    expect(await secretIn({ skip_secrets: "true" })).toBeUndefined();
  });

  it("leaves out what the caller may not read", async () => {
    const entries = Object.keys(entriesOf(await read({}, aReader(world.workspace, ["t"]))));
    expect(entries).toContain("f/t/hello.pg.sql");
    expect(entries.filter((name) => name.includes("secret"))).toEqual([]);
  });

  it("is refused to a caller who may not read one kind, because its files would look deleted", async () => {
    const reader = aReader(world.workspace, ["t"]);
    await expect(read({ include_settings: "true" }, reader)).rejects.toMatchObject({ code: "auth.forbidden" });
    await expect(read({ include_key: "true" }, reader)).rejects.toMatchObject({ code: "auth.forbidden" });
    const limited = { ...anAdmin, scopes: ["scripts:read", "flows:read", "apps:read", "folders:read"] };
    await expect(read({ skip_variables: "true" }, limited)).rejects.toMatchObject({ code: "auth.forbidden" });
    await read({ skip_variables: "true", skip_resources: "true", skip_resource_types: "true" }, limited);
  });

  it("is not found for an unknown workspace, also for a superadmin", async () => {
    const reader = { actor: anAdmin, workspace: "no-such-workspace", token: "", operation: "workspaces.tarball" };
    await expect(createWorkspaceArchive(world.deps, reader, {})).rejects.toMatchObject({ code: "workspace.notFound" });
  });

  it("is refused for another type of archive", async () => {
    await expect(read({ archive_type: "rar" })).rejects.toMatchObject({ code: "archive.type" });
  });

  it("fails if an object cannot be read, because a missing file looks deleted", async () => {
    const broken = variableObject.key(world.workspace, `f/t/${randomUUID()}`);
    await world.deps.objects.put({ ...broken, value: { path: 1 } });
    await expect(read()).rejects.toMatchObject({ name: "UnreadableRecordError" });
    await world.deps.objects.deleteItem(broken);
  });

  it("is stored once for its content, for a link", async () => {
    const archive = await read();
    const url = await storeArchive(world.deps, world.workspace, archive, archive.bytes);
    expect(new URL(url).searchParams.get("X-Amz-Expires")).toBe(String(limits.archiveLinkS));
    expect(new Uint8Array(await (await fetch(url)).arrayBuffer())).toEqual(new Uint8Array(archive.bytes));
  });

  it("needs one request to AWS per 25 items and one to KMS", async () => {
    const caller = { actor: anAdmin as Actor, workspace: world.workspace };
    const many = Array.from({ length: 60 }, (_, index) => index);
    await Promise.all(
      many.flatMap((index) => [
        createScript(world.deps, caller, newScriptSchema.parse({ ...script, path: `f/t/script${index}` }), {}),
        createVariable(
          world.deps,
          caller,
          newVariableSchema.parse({ path: `f/t/secret${index}`, value: "x", is_secret: true, description: "" }),
        ),
      ]),
    );
    takeCounts();
    const items = Object.keys(entriesOf(await read(everything))).filter((name) => !name.endsWith(".sql")).length;
    const { requests } = takeCounts();
    const sum = Object.values(requests).reduce((total, count) => total + count, 0);
    // Each kind is one query, whatever it contains.
    const kinds = 20;
    expect(sum).toBeLessThanOrEqual(kinds + items / 25);
    expect(
      Object.entries(requests)
        .filter(([name]) => name.startsWith("KMS"))
        .reduce((total, [, count]) => total + count, 0),
    ).toBeLessThanOrEqual(1);
  });
});
