import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { startReceiver } from "../../support/approvals/notices.ts";
import { until } from "../../support/until.ts";

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

it("docs/events.md: every example does what the page describes", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "ops" }), 201);
  const page = readFileSync(path.join(import.meta.dirname, "../../../docs/events.md"), "utf8");
  const [first = "", second = ""] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block ?? "");
  const run = async (script: string) => {
    const filled = script
      .replace("API=http://localhost:8000/api/w/demo", `API=${shared().url}/api/w/${ws.id}`)
      .replace("RECEIVER=https://receiver.example.com/svc", `RECEIVER=${receiver.url}`);
    // The receiver answers while the script runs.
    const { stdout } = await promisify(execFile)("bash", ["-ec", filled], { env: { ...process.env, TOKEN: shared().token } });
    return stdout.trim().split("\n");
  };

  const [saved, secret = "{}", tested = "{}", created] = await run(first);
  expect(saved).toBe("The webhook was saved.");
  expect(JSON.parse(secret)).toEqual({ secret: expect.stringMatching(/^whsec_/) });
  expect(JSON.parse(tested)).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(created).toBe("The variable f/ops/limit was saved.");

  await until(() => receiver.received.length >= 2, { what: "the test and the event" });
  const webhook = new Webhook((JSON.parse(secret) as { secret: string }).secret);
  const found = receiver.received.map(({ headers, body }) => {
    expect(headers["content-type"]).toContain("application/json");
    return webhook.verify(body, headers as Record<string, string>) as { type: string; timestamp: string; data: object };
  });
  expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toContain((JSON.parse(tested) as { id: string }).id);
  const documented = JSON.parse(/^\{"type":"CreateVariable".*$/m.exec(page)?.[0] ?? "{}") as (typeof found)[number];
  expect(found.find(({ type }) => type === documented.type)).toEqual({
    ...documented,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { ...documented.data, workspace_id: ws.id },
  });
  expect(found.find(({ type }) => type === "svc.test")?.data).toEqual({ workspace_id: ws.id, by: "admin" });

  const [, , api = "", target = ""] = /^(svc.*?)\n(API.*?)\n(RECEIVER.*?)\n/m.exec(first)?.map(String) ?? [];
  const [added = "", changed = "", listed = "", deleted] = await run(`${first.split("\n")[0]}\n${api}\n${target}\n${second}`);
  expect(JSON.parse(added)).toMatchObject({ id: "ops", events: ["CreateScript", "UpdateScript"], paths: ["f/ops/**"] });
  expect(JSON.parse(changed)).toMatchObject({ id: "ops", events: null, description: "All changes of the folder ops" });
  expect(JSON.parse(listed)).toMatchObject([{ id: "workspace" }, { id: "ops" }]);
  expect(deleted).toBe("The webhook endpoint ops was deleted.");
});
