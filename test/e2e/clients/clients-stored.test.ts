import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { type Client, clients, type Driver, startDriver } from "../../support/clients/client-driver.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

describe.each(clients)("the %s client", (client: Client) => {
  let driver: Driver;
  beforeAll(async () => {
    driver = startDriver(client, { WM_STATE_PATH_NEW: `u/admin/${client}_state` });
    await driver.call("setClient", ws.api.token, ws.api.url, ws.id);
  });
  afterAll(() => driver.stop());
  /** The helper's result; fails with its error. */
  const call = async (helper: string, ...args: unknown[]) => {
    const { result, error } = await driver.call(helper, ...args);
    if (error) throw new Error(`${helper}: ${error.status} ${error.message}`);
    return result;
  };

  it("the client creates, changes and reads variables, including secret ones", async () => {
    const path = `f/t/${client}_token`;
    expect((await driver.call("getVariable", path)).error).toMatchObject({ name: "ApiError", status: 404 });
    await call("setVariable", path, 'se"cret é', true, "what for");
    expect(await call("getVariable", `var://${path}`)).toBe('se"cret é');
    await call("setVariable", path, "12");
    expect(await call("getVariable", path)).toBe("12");
    expect((await ws.get(`variables/get/${path}`, { decrypt_secret: false })).json).toMatchObject({
      is_secret: true,
      description: "what for",
    });
  });

  it("the client returns the email address of a user", async () => {
    expect(await call("usernameToEmail", "admin")).toBe(shared().email);
    expect((await driver.call("usernameToEmail", "nobody")).error).toMatchObject({
      name: "ApiError",
      status: 404,
      code: "member.notFound",
    });
  });

  it("the client creates, changes and reads resources with their references resolved", async () => {
    const path = `f/t/${client}_db`;
    await call("setVariable", `f/t/${client}_password`, "p/w", true, "");
    expect((await driver.call("getResource", path)).error).toMatchObject({ status: 404 });
    expect(await call("getResource", path, true)).toBe(null);
    expect((await driver.call("setResource", {}, path)).error).toMatchObject({ status: 404 });
    const database = { host: "db.example", port: 5432, user: "ann", dbname: "shop", sslmode: "require", root_certificate_pem: "" };
    await call("setResource", { ...database, password: `$var:f/t/${client}_password` }, path, "postgresql");
    expect(await call("getResource", `$res:${path}`)).toEqual({ ...database, password: "p/w" });
    expect(await call("databaseUrlFromResource", path)).toBe("postgresql://ann:p%2Fw@db.example:5432/shop?sslmode=require");
    await call("setResource", { ...database, password: "other" }, path);
    expect(await call("getResource", path)).toMatchObject({ password: "other" });
    expect((await ws.get(`resources/get/${path}`)).json).toMatchObject({ resource_type: "postgresql" });
  });

  it("the client stores state, which is empty at first", async () => {
    expect(await call("getState")).toBe(null);
    for (const state of [{ seen: [1, 2] }, "text", 0, false]) {
      await call("setState", state);
      expect(await call("getState")).toEqual(state);
    }
    expect((await ws.get(`resources/get/u/admin/${client}_state`)).json).toMatchObject({ resource_type: "state" });
  });
});

it.each([
  [
    "bun",
    'import * as svc from "svc-client";\nexport async function main() {\n  const runs = ((await svc.getState<number>()) ?? 0) + 1;\n  await svc.setState(runs);\n  return runs;\n}',
  ],
  ["python3", "import svc\n\ndef main():\n    runs = (svc.get_state() or 0) + 1\n    svc.set_state(runs)\n    return runs\n"],
  [
    "go",
    'package inner\n\nimport svc "svc-client"\n\nfunc main() (any, error) {\n\tstate, err := svc.GetState()\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\truns, _ := state.(float64)\n\treturn runs + 1, svc.SetState(runs + 1)\n}\n',
  ],
])("a script in %s reads the state that its previous run stored", async (language, content) => {
  await ws.saveScript({ path: `f/t/counts_${language}`, language, content });
  for (const runs of [1, 2, 3]) expect((await ws.runWait(`f/t/counts_${language}`)).json).toBe(runs);
});
