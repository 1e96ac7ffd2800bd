import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { fuzz } from "../../support/api/fuzz.ts";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, workspaceOf } from "../../support/api/workspace.ts";

/** Operations that would delete the fuzzer's own token or its workspace. */
const LEFT_OUT = ["auth.logout", "users.refreshToken", "users.setPassword", "users.leaveWorkspace", "workspaces.archive"];

/** A workspace with an object of each kind, and its admin, who has no other rights: the fuzzer can damage only this workspace. */
async function playground() {
  const ws = await newWorkspace();
  const admin = await member(ws, "fuzz", "admin");
  const mate = await member(ws, "mate");
  const token = expectStatus(
    await api().post("users/tokens/impersonate", { impersonate_email: admin.email, workspace_id: ws.id }),
    201,
  ).text;
  const own = workspaceOf(api({ url: shared().url, token }), ws.id);
  const hash = await own.saveScript({ path: "f/t/script", language: "bash", content: "echo done" });
  for (const [route, body] of [
    ["variables/create", { path: "f/t/plain", value: "v", is_secret: false }],
    ["variables/create", { path: "f/t/secret", value: randomUUID(), is_secret: true }],
    ["resources/create", { path: "f/t/resource", value: { secret: "$var:f/t/secret" }, resource_type: "any" }],
    ["resources/type/create", { name: "kind", schema: { type: "object" } }],
    ["groups/create", { name: "team" }],
  ] as const) {
    expectStatus(await own.post(route, body), 201);
  }
  expectStatus(await own.call("POST", "job_helpers/upload_s3_file", { body: "text", query: { file_key: "one.txt" } }), 200);
  const value = { modules: [{ id: "a", value: { type: "script", path: "f/t/script" } }] };
  expectStatus(await own.post("flows/create", { path: "f/t/flow", summary: "", value }), 201);
  const flow = (await own.get("flows/get/f/t/flow")).json as { version_id: number };
  const ended = await own.run("f/t/script");
  await own.completed(ended);
  const waiting = await own.run("f/t/script", {}, { scheduled_in_secs: 1_000_000 });
  const [entry] = (await own.get("audit/list")).json as { id: string }[];
  const known = {
    path: ["f/t/script", "f/t/flow", "f/t/plain", "f/t/secret", "f/t/resource", "t", "team"],
    hash: [hash],
    version: [String(flow.version_id)],
    id: [ended, waiting, entry?.id ?? ""],
    ended: [ended],
    name: ["t", "team", "kind", "postgresql"],
    kind: ["script", "flow", "variable", "resource", "folder", "group_"],
    username: [mate.username, "nobody"],
    file_key: ["one.txt"],
  };
  return { token, workspace: ws.id, known };
}

it("every operation answers through the front server and the gateway with a documented status, type and shape, and never with an internal error", {
  timeout: 300_000,
}, async () => {
  const { report, output } = await fuzz({
    url: shared().url,
    ...(await playground()),
    leaveOut: LEFT_OUT,
    // functions/shared/*.usecase.test.ts call the same handlers thousands of times, without a gateway before them.
    examples: 1,
  });
  const { operations, test_cases, failures, errors } = report;
  console.log(`fuzzer: ${operations.tested} of ${operations.total} operations, ${test_cases.generated} calls; .svc/fuzz/report.txt`);
  const found = failures.map(({ code, title, operations: of }) => `${code} ${title}: ${of.join(", ")}`);
  if (found.length > 0 || errors.length > 0) console.error(output);
  expect([...found, ...errors.map(({ title }) => title)]).toEqual([]);
  expect(operations.tested).toBe(operations.total - LEFT_OUT.length);
  expect(test_cases.generated).toBeGreaterThan(operations.tested);
});
