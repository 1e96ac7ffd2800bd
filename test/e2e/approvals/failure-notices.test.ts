import { beforeAll, expect, it } from "vitest";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace, workspaceOf } from "../../support/api/workspace.ts";
import { mailsTo } from "../../support/approvals/notices.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

it("a developer sets who receives a mail when a script fails, and another developer may not", async () => {
  const [dev, other] = await Promise.all([member(ws, "dev"), member(ws, "other")]);
  const own = workspaceOf(dev.api, ws.id);
  const path = `u/${dev.username}/nightly`;
  await own.saveScript({ path, language: "bash", content: "echo no disk >&2; exit 1\n" });
  const set = (at: Workspace, body: object) => at.post(`scripts/edit_failure_notice/p/${path}`, body);
  expect((await set(workspaceOf(other.api, ws.id), { email: [`u/${other.username}`] })).status).toBe(404);
  expect((await set(own, { email: ["stranger@example.com"] })).status).toBe(422);
  expect((await own.post(`scripts/edit_failure_notice/p/u/${dev.username}/none`, { email: ["g/all"] })).status).toBe(404);
  expectStatus(await set(own, { email: [`u/${dev.username}`] }), 200);
  expect((await own.get(`scripts/get_failure_notice/p/${path}`)).json).toEqual({ email: [`u/${dev.username}`] });
  expect((await workspaceOf(other.api, ws.id).get(`scripts/get_failure_notice/p/${path}`)).status).toBe(404);
  await own.completed(await own.run(path));
  const [mail] = await until(
    async () => {
      const mails = await mailsTo(dev.email);
      return mails.length > 0 ? mails : undefined;
    },
    { timeoutMs: 60_000, what: "the mail about the failure" },
  );
  expect([mail?.subject, mail?.text]).toEqual([expect.stringContaining(path), expect.stringContaining(path)]);
  expect(await mailsTo(other.email)).toEqual([]);
  expect((await ws.get("workspaces/get_settings")).json).toMatchObject({ failure_notices: { rules: [{ path }] } });
});
