import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { outboxOf } from "../../support/engine/outbox.ts";

it("docs/events.md: every example does what the page describes", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "ops" }), 201);
  const page = readFileSync(path.join(import.meta.dirname, "../../../docs/events.md"), "utf8");
  const [first = "", second = ""] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block ?? "");
  const run = (script: string) =>
    execFileSync("bash", ["-ec", script.replace("API=http://localhost:8000/api/w/demo", `API=${shared().url}/api/w/${ws.id}`)], {
      env: { ...process.env, TOKEN: shared().token },
      encoding: "utf8",
    })
      .trim()
      .split("\n");

  const [saved, secret = "{}", tested = "{}", created] = run(first);
  expect(saved).toBe("The webhook was saved.");
  expect(JSON.parse(secret)).toEqual({ secret: expect.stringMatching(/^whsec_/) });
  expect(JSON.parse(tested)).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(created).toBe("The variable f/ops/limit was saved.");
  expect(await outboxOf(ws.id)).toEqual(["svc.test undefined", "CreateVariable f/ops/limit"]);

  const [, , api = "", receiver = ""] = /^(svc.*?)\n(API.*?)\n(RECEIVER.*?)\n/m.exec(first)?.map(String) ?? [];
  const [added = "", changed = "", listed = "", deleted] = run(`${first.split("\n")[0]}\n${api}\n${receiver}\n${second}`);
  expect(JSON.parse(added)).toMatchObject({ id: "ops", events: ["CreateScript", "UpdateScript"], paths: ["f/ops/**"] });
  expect(JSON.parse(changed)).toMatchObject({ id: "ops", events: null, description: "All changes of the folder ops" });
  expect(JSON.parse(listed)).toMatchObject([{ id: "workspace" }, { id: "ops" }]);
  expect(deleted).toBe("The webhook endpoint ops was deleted.");
});
