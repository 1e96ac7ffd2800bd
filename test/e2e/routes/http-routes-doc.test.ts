import { expect, it } from "vitest";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { readings } from "../../support/docs/pages.ts";
import { readAloud } from "../../support/docs/reader.ts";

it("docs/http-routes.md: every example does what the page describes", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "examples" }), 201);
  const shown = (await readAloud(readings.httpRoutes, { workspace: ws.id })).join("");
  const lines = shown.split("\n");
  // The order, the two requests with a key, and the signed request.
  expect(lines).toContain('{"id":"17","amount":3}');
  expect(lines).toContain('{"id":"17","amount":1}');
  expect(lines).toContain("401");
  expect(shown).toContain('"reason":"wrongKey"');
  expect(lines).toContain('{"id":"9","amount":5}');
});
