import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";

it("docs/connections.md: every example does what the page describes", async () => {
  const [ws, other] = [await newWorkspace(), await newWorkspace()];
  for (const { post } of [ws, other]) expectStatus(await post("folders/create", { name: "ops" }), 201);
  await ws.saveScript({
    path: "f/ops/report",
    language: "bun",
    content: "export const main = (db: { password: string }) => ({ chars: db.password.length });",
  });
  const page = readFileSync(path.join(import.meta.dirname, "../../../docs/connections.md"), "utf8");
  // The block about accounts replaces a setting of the instance, so the tests of accounts run it.
  const [first = "", second = "", , third = ""] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block ?? "");
  const base = (id: string) => `${shared().url}/api/w/${id}`;
  const environment = { ...process.env, TOKEN: shared().token, OTHER: base(other.id) };
  const run = (script: string) =>
    execFileSync("bash", ["-ec", script.replace("API=http://localhost:8000/api/w/demo", `API=${base(ws.id)}`)], {
      env: environment,
      encoding: "utf8",
    });

  const said = run(first);
  expect(said).toContain("The variable f/ops/db_password was saved.");
  expect(said).toContain('"password":"s3cret-of-the-db"');
  expect(said).toContain('{"chars":16}');

  const { value } = (await ws.get("variables/get/f/ops/db_password", { decrypt_secret: false, include_encrypted: true })).json as {
    value: string;
  };
  const { key } = (await ws.get("workspaces/encryption_key")).json as { key: string };
  const filled = second.replace('"new_key":"…"', `"new_key":"${key}"`).replace("<ciphertext>", value);
  const [helper = ""] = first.split("\n");
  const exported = run(`${helper}\nAPI=${base(ws.id)}\n${filled}`);
  expect(exported).toContain(value);
  expect(exported).toContain(key);
  expect(run(`${helper}\nAPI=${base(ws.id)}\n${third}`)).toMatch(/^eyJ[\w.-]+$/);
  expect((await other.get("variables/get_value/f/ops/db_password")).json).toBe("s3cret-of-the-db");
});
