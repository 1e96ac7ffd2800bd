import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";

it("docs/http-routes.md: every example does what the page describes", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "shop" }), 201);
  const page = readFileSync(path.join(import.meta.dirname, "../../../docs/http-routes.md"), "utf8");
  const script = [...page.matchAll(/```sh\n(.*?)```/gs)]
    .map(([, block]) => block)
    .join("\n")
    .replace("API=http://localhost:8000/api/w/demo", `API=${shared().url}/api/w/${ws.id}`);
  const shown = execFileSync("bash", ["-ec", script], { env: { ...process.env, TOKEN: shared().token }, encoding: "utf8" });
  const lines = shown.split("\n");
  // The order, the two requests with a key, and the signed request.
  expect(lines).toContain('{"id":"17","amount":3}');
  expect(lines).toContain('{"id":"17","amount":1}');
  expect(lines).toContain("401");
  expect(shown).toContain('"reason":"wrongKey"');
  expect(lines).toContain('{"id":"9","amount":5}');
});
