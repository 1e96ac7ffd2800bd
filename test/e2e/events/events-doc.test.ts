import { readFileSync } from "node:fs";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { startReceiver } from "../../support/approvals/notices.ts";
import { readings } from "../../support/docs/pages.ts";
import { readAloud } from "../../support/docs/reader.ts";
import { until } from "../../support/until.ts";

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

it("docs/events.md: every example does what the page describes", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "examples" }), 201);
  const page = readFileSync(path.join(import.meta.dirname, "../../../docs/events.md"), "utf8");
  const instead = [["https://receiver.example.com/svc", receiver.url]] as const;
  const outputs = await readAloud(readings.events, { workspace: ws.id, instead });
  const [first = [], second = []] = outputs.map((output) => output.split("\n"));
  const [saved, secret = "{}", tested = "{}", created] = first;
  expect(saved).toBe("The webhook was saved.");
  expect(JSON.parse(secret)).toEqual({ secret: expect.stringMatching(/^whsec_/) });
  expect(JSON.parse(tested)).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(created).toBe("The variable f/examples/limit was saved.");

  await until(() => receiver.receivedRequests.length >= 2, { what: "the test and the event" });
  const webhook = new Webhook((JSON.parse(secret) as { secret: string }).secret);
  const found = receiver.receivedRequests.map(({ headers, body }) => {
    expect(headers["content-type"]).toContain("application/json");
    return webhook.verify(body, headers as Record<string, string>) as { type: string; timestamp: string; data: object };
  });
  expect(receiver.receivedRequests.map(({ headers }) => headers["webhook-id"])).toContain((JSON.parse(tested) as { id: string }).id);
  const documented = JSON.parse(/^\{"type":"CreateVariable".*$/m.exec(page)?.[0] ?? "{}") as (typeof found)[number];
  expect(found.find(({ type }) => type === documented.type)).toEqual({
    ...documented,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { ...documented.data, workspace_id: ws.id },
  });
  expect(found.find(({ type }) => type === "svc.test")?.data).toEqual({ workspace_id: ws.id, by: "admin" });

  const [added = "", changed = "", listed = "", deleted] = second;
  expect(JSON.parse(added)).toMatchObject({ id: "examples", events: ["CreateScript", "UpdateScript"], paths: ["f/examples/**"] });
  expect(JSON.parse(changed)).toMatchObject({ id: "examples", events: null, description: "All changes of the folder examples" });
  expect(JSON.parse(listed)).toMatchObject([{ id: "workspace" }, { id: "examples" }]);
  expect(deleted).toBe("The webhook endpoint examples was deleted.");
});
