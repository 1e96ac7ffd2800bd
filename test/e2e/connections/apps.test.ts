import { expect, it } from "vitest";
import { appRoutes } from "../../../contract/routes/stored/apps.ts";
import { shaped } from "../../support/api/shaped.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";

it("an app is saved, listed, read, changed and deleted, as the command line does it", async () => {
  const ws = await newWorkspace();
  const app = { path: "f/t/report", value: { grid: [1], css: {} }, summary: "Report", policy: { execution_mode: "viewer" } };
  expect((await ws.get("apps/exists/f/t/report")).json).toBe(false);
  expectStatus(await ws.get("apps/get/p/f/t/report"), 404);
  expect(expectStatus(await ws.post("apps/create", { ...app, custom_path: "report" }), 201).text).toBe("f/t/report");
  expectStatus(await ws.post("apps/create", app), 409);
  expectStatus(await ws.post("apps/create", { ...app, path: "f/t/other", custom_path: "report" }), 409);
  const first = shaped(appRoutes.getApp, await ws.get("apps/get/p/f/t/report")) as { id: number };
  expect(first).toMatchObject({ value: app.value, execution_mode: "viewer", custom_path: "report", raw_app: false });
  const changed = expectStatus(
    await ws.post("apps/update/f/t/report", { path: "f/t/sales", value: { grid: [2] }, labels: ["daily"] }),
    200,
  );
  const { version } = changed.json as { version: number };
  expect(changed.json).toEqual({ path: "f/t/sales", version });
  expect(shaped(appRoutes.listApps, await ws.get("apps/list", { label: "daily" }))).toMatchObject([{ path: "f/t/sales", version }]);
  expect(shaped(appRoutes.getAppVersion, await ws.get(`apps/get/v/${first.id}`))).toMatchObject({ path: "f/t/sales", value: app.value });
  expect(shaped(appRoutes.appHistory, await ws.get("apps/history/p/f/t/sales"))).toMatchObject([{ version }, { version: first.id }]);
  expectStatus(await ws.post("acls/add/app/f/t/sales", { owner: "g/all", write: false }), 200);
  expect((await ws.get("apps/get/p/f/t/sales")).json).toMatchObject({ extra_perms: { "g/all": false } });
  for (const [field, body] of Object.entries({
    policy: { policy: { execution_mode: "all" } },
    path: { path: "sales" },
    custom_path: { custom_path: "a b" },
  })) {
    const refused = await ws.post("apps/update/f/t/sales", body);
    expectStatus(refused, 422);
    expect(refused.text).toContain(field);
  }
  expectStatus(await ws.call("DELETE", "apps/delete/f/t/sales"), 200);
  expectStatus(await ws.call("DELETE", "apps/delete/f/t/sales"), 200);
  expectStatus(await ws.get(`apps/get/v/${version}`), 404);
});
