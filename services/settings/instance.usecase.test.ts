import { beforeAll, describe, expect, it } from "vitest";
import { accountKeys } from "../../aws/kms/data-keys.ts";
import { INSTANCE } from "../../contract/common.ts";
import { CONNECT_CLIENTS } from "../../core/accounts/client.ts";
import { endpointObject, INSTANCE_ENDPOINT } from "../../core/events/endpoint.ts";
import { instanceSettingObject } from "../../core/objects/setting.ts";
import { INSTANCE_EVENTS_URL, SYNC_LIMIT } from "../../core/settings/instance.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { setConnectClients } from "../accounts/clients.ts";
import { getGlobalSetting, listGlobalSettings, setGlobalSetting } from "./instance.ts";
import type { SettingEdit } from "./replace-setting.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const read = (name: string) => getGlobalSetting(world.deps, anAdmin, name);
const client = (scopes: string[]) => ({
  id: "client-1",
  connect_config: { auth_url: "https://id.example/auth", token_url: "https://id.example/token", scopes },
});
const addressOf = (value: number) => `https://hooks.example.com/${value}`;

type Change = (value: 1 | 2, edit: SettingEdit) => Promise<unknown>;
const changes: Record<string, Change> = {
  [SYNC_LIMIT]: (value, edit) => setGlobalSetting(world.deps, SYNC_LIMIT, value, edit),
  [INSTANCE_EVENTS_URL]: (value, edit) => setGlobalSetting(world.deps, INSTANCE_EVENTS_URL, addressOf(value), edit),
  [CONNECT_CLIENTS]: (value, edit) => setConnectClients({ ...world.deps, accountKeys }, { acme: client([`scope${value}`]) }, edit),
  "of another client": (value, edit) => setGlobalSetting(world.deps, "of another client", { value }, edit),
};

describe("a change of a setting of the instance", () => {
  it.each(Object.entries(changes))("to %s is refused with the author after another superadmin has changed it", async (name, change) => {
    const { version } = await read(name);
    await change(1, { by: "ann@example.com", expected: [version] });
    const { version: second, json } = await read(name);
    expect(await listGlobalSettings(world.deps)).toContainEqual({ name, value: json, version: second });
    const refused = { code: "object.versionChanged", details: { path: name, by: "ann@example.com", at: expect.any(String) as unknown } };
    await expect(change(2, { by: "bob@example.com", expected: [version] })).rejects.toMatchObject(refused);
    expect((await read(name)).json).toEqual(json);
    await change(2, { by: "bob@example.com", expected: [second] });
    // Without a version, the last save wins.
    await change(1, { by: "ann@example.com" });
    expect((await read(name)).json).toEqual(json);
  });

  it.each(Object.entries(changes))("to %s has one winner of two superadmins who save in the same moment", async (name, change) => {
    const { version } = await read(name);
    const saves = await Promise.allSettled(([1, 2] as const).map((value) => change(value, { by: `${value}`, expected: [version] })));
    expect(saves.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(saves.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "object.versionChanged" } });
  });

  it("is refused if the setting was removed or set for the first time since it was read", async () => {
    const name = "a new one";
    const { version: absent } = await read(name);
    expect(absent).toBe("-");
    await setGlobalSetting(world.deps, name, 1, { by: "ann", expected: [absent] });
    await expect(setGlobalSetting(world.deps, name, 2, { expected: [absent] })).rejects.toMatchObject({ code: "object.versionChanged" });
    const { version } = await read(name);
    await setGlobalSetting(world.deps, name, null, { expected: [version] });
    await expect(setGlobalSetting(world.deps, name, 2, { expected: [version] })).rejects.toMatchObject({ code: "object.versionChanged" });
    expect(await read(name)).toEqual({ json: null, version: absent });
  });

  it("that an earlier release stored without a version is replaced once", async () => {
    const key = instanceSettingObject.key(SYNC_LIMIT);
    await world.deps.objects.put({ ...key, value: 5 });
    const { version, json } = await read(SYNC_LIMIT);
    expect(json).toBe(5);
    await setGlobalSetting(world.deps, SYNC_LIMIT, 6, { expected: [version] });
    await expect(setGlobalSetting(world.deps, SYNC_LIMIT, 7, { expected: [version] })).rejects.toMatchObject({
      code: "object.versionChanged",
    });
  });

  it("stores the receiver of events together with its endpoint, whichever write fails", async () => {
    for (const url of [addressOf(3), ""]) {
      await expectToSurviveFaults(async () => {
        await setGlobalSetting(world.deps, INSTANCE_EVENTS_URL, addressOf(1));
        const act = () => setGlobalSetting(world.deps, INSTANCE_EVENTS_URL, url);
        return {
          act,
          recover: act,
          check: async () => {
            const endpoint = await world.deps.objects.get(endpointObject.key(INSTANCE, INSTANCE_ENDPOINT));
            expect((await read(INSTANCE_EVENTS_URL)).json).toBe(url);
            expect(endpoint && endpointObject.parse(endpoint).url).toBe(url || undefined);
          },
        };
      });
    }
  });
});
