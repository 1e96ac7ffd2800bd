import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { documents } from "../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../contract/env.ts";
import type { Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
const schema = { type: "object", properties: { key: { type: "string", format: "password" }, text: { type: "string" } } };
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  const content = "export const main = (key: string, text: string) => text;";
  await ws.saveScript({ path: "f/t/echo", language: "bun", content, schema });
});
afterAll(() => service.close());

interface Listed {
  id: string;
  args_preview?: string;
  result_preview?: string;
}
const listed = async (id: string, route = "jobs/completed/list", include_preview = true) =>
  ((await ws.get(route, { include_preview, per_page: 100 })).json as Listed[]).find((job) => job.id === id);

/** The size of a job's head as DynamoDB bills it, which is less than that of its JSON text. */
async function headBytes(id: string): Promise<number> {
  const { Item } = await documents().send(new GetCommand({ TableName: requireEnv(env.jobsTable), Key: { pk: id, sk: "job" } }));
  const sizeOf = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.entries(value).reduce((sum, [name, item]) => sum + name.length + 1 + sizeOf(item), 3)
      : Buffer.byteLength(String(value));
  return sizeOf(Item);
}

it("a list shows the beginning of arguments and results, without marked values, and only if it is requested", async () => {
  const [small, large] = [
    { key: "private-key", text: "hello" },
    { key: "private-key", text: "é".repeat(4000) },
  ];
  for (const args of [small, large]) {
    const id = await ws.run("f/t/echo", args);
    await ws.completed(id);
    const { args_preview = "", result_preview = "" } = (await listed(id)) ?? {};
    expect(args_preview).toContain(`{"key":"***","text":"${args.text.slice(0, 5)}`);
    expect(result_preview).toContain(`"${args.text.slice(0, 5)}`);
    for (const text of [args_preview, result_preview]) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(200);
    expect(await listed(id, "jobs/list")).toMatchObject({ args_preview, result_preview });
    expect(Object.keys((await listed(id, "jobs/list", false)) ?? {})).not.toContain("args_preview");
    expect(await headBytes(id)).toBeLessThan(1024);
  }
});

it("a queued job has a preview of its arguments, and an erased job has none", async () => {
  const id = await ws.run("f/t/echo", { key: "private-key", text: "b".repeat(900) }, { scheduled_in_secs: 600 });
  expect((await listed(id, "jobs/queue/list"))?.args_preview).toContain('{"key":"***","text":"bbb');
  await ws.post(`jobs_u/queue/cancel/${id}`, {});
  expect(await listed(id)).toMatchObject({
    args_preview: expect.stringContaining("bbb"),
    result_preview: expect.stringContaining("Canceled"),
  });
  await ws.post(`jobs/completed/delete/${id}`);
  expect(Object.keys((await listed(id)) ?? {}).filter((name) => name.includes("preview"))).toEqual([]);
});
