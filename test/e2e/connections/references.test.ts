import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { findLogLine } from "../../support/engine/logs.ts";

let ws: Workspace;

const variable = async (path: string, value: string, is_secret = true) =>
  expectStatus(await ws.post("variables/create", { path, value, is_secret, description: "" }), 201);
const resource = async (path: string, value: unknown, resource_type = "any") =>
  expectStatus(await ws.post("resources/create", { path, value, resource_type }, { update_if_exists: true }), 201);
const interpolated = (path: string) => ws.get(`resources/get_value_interpolated/${path}`);

beforeAll(async () => {
  ws = await newWorkspace();
  await variable("f/t/password", "secret-of-the-database");
  await variable("f/t/plain", "$var:f/t/password", false);
  await resource("f/t/db", { host: "h", password: "$var:f/t/password", nested: [{ again: "$res:f/t/inner" }] });
  await resource("f/t/inner", { text: "$var:f/t/plain", n: 1 });
});

const DB = { host: "h", password: "secret-of-the-database", nested: [{ again: { text: "$var:f/t/password", n: 1 } }] };

describe("get_value_interpolated", () => {
  it("the route resolves references at any depth, and does not interpret the text of a variable", async () => {
    expect(expectStatus(await interpolated("f/t/db"), 200).json).toEqual(DB);
    expect((await ws.get("resources/get_value/f/t/db")).json).toMatchObject({ password: "$var:f/t/password" });
  });

  it("the route resolves 20 references in at most 3 reads", async () => {
    const own = await newWorkspace();
    const value: Record<string, string> = {};
    for (let index = 0; index < 10; index += 1) {
      expectStatus(
        await own.post("variables/create", { path: `f/t/v${index}`, value: `v${index}`, is_secret: true, description: "" }),
        201,
      );
      expectStatus(await own.post("resources/create", { path: `f/t/r${index}`, value: `$var:f/t/v${index}`, resource_type: "any" }), 201);
      Object.assign(value, { [`v${index}`]: `$var:f/t/v${index}`, [`r${index}`]: `$res:f/t/r${index}` });
    }
    expectStatus(await own.post("resources/create", { path: "f/t/all", value, resource_type: "any" }), 201);
    const { json } = expectStatus(await own.get("resources/get_value_interpolated/f/t/all"), 200);
    expect(json).toMatchObject({ v3: "v3", r7: "v7" });
    const line = await findLogLine(
      (text) => text.includes('"resources.getValueInterpolated"') && text.includes(`"${own.id}"`),
      "the request",
    );
    const { requests } = (JSON.parse(line) as { aws: { requests: Record<string, number> } }).aws;
    const reads = Object.entries(requests).filter(([name]) => name.startsWith("dynamodb."));
    // The token, the resource itself, and three reads of references.
    expect(reads.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(1 + 1 + 3);
  });
});

describe("references in the arguments of a job", () => {
  const args = { a: { deep: ["$res:f/t/db"] }, b: "$var:f/t/password" };
  const expected = { a: { deep: [DB] }, b: "secret-of-the-database" };
  /** The script compares the values itself, because its result is masked for readers. */
  const check = `export const main = (a: unknown, b: unknown) => JSON.stringify({ a, b }) === atob("${btoa(JSON.stringify(expected))}");`;
  beforeAll(async () => {
    await ws.saveScript({ path: "f/t/check", language: "bun", content: check });
  });

  it("references are resolved right before the run, in a sync call, an async one and a preview", async () => {
    expect(expectStatus(await ws.runWait("f/t/check", args), 200).json).toBe(true);
    expect(await ws.completed(await ws.run("f/t/check", args))).toMatchObject({ success: true, result: true });
    const preview = { language: "bun", content: check, args };
    expect(expectStatus(await ws.post("jobs/run_wait_result/preview", preview), 200).json).toBe(true);
  });
});

describe("scripts with a job token", () => {
  it("a script reads variables and resources with its job token, and writes its state", async () => {
    await ws.saveScript({
      path: "f/t/reader",
      language: "bun",
      content: `const base = process.env.BASE_INTERNAL_URL + "/api/w/" + process.env.WM_WORKSPACE;
const headers = { authorization: "Bearer " + process.env.WM_TOKEN, "content-type": "application/json" };
const get = async (path: string) => (await fetch(base + path, { headers })).json();
export async function main() {
  const state = process.env.WM_STATE_PATH_NEW;
  const body = JSON.stringify({ path: state, value: { n: 1 }, resource_type: "state" });
  const saved = await fetch(base + "/resources/create?update_if_exists=true", { method: "POST", headers, body });
  const password = (await get("/variables/get_value/f/t/password")) as string;
  return {
    saved: saved.status,
    state: await get("/resources/get_value/" + state),
    length: password.length,
    db: (await get("/resources/get/f/t/db")).value.host,
  };
}`,
    });
    expect(expectStatus(await ws.runWait("f/t/reader"), 200).json).toEqual({ saved: 201, state: { n: 1 }, length: 22, db: "h" });
  });
});
