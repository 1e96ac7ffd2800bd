import { expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, workspaceOf } from "../../support/api/workspace.ts";
import { readings } from "../../support/docs/pages.ts";
import { readAloud } from "../../support/docs/reader.ts";

it("docs/connections.md: every example does what the page describes", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "examples" }), 201);
  const [said = "", copied = "", idToken] = await readAloud(readings.connections, { workspace: ws.id });
  expect(said).toContain("The variable f/examples/db_password was saved.");
  expect(said).toContain('"password":"s3cret-of-the-db"');
  expect(said).toContain('{"chars":16}');
  expect(copied.trim().split("\n").at(-1)).toMatch(/^"?[A-Za-z0-9+/]+={0,2}"?$/);
  expect(idToken).toMatch(/^eyJ[\w.-]+\n$/);
  expect((await workspaceOf(api(), "copy").get("variables/get_value/f/examples/db_password")).json).toBe("s3cret-of-the-db");
});
