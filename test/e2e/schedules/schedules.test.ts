import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { until } from "../../support/until.ts";

it("docs/schedules.md: every example does what the page describes", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "ops" }), 201);
  await ws.saveScript({ path: "f/ops/report", language: "bash", content: "echo report" });
  const page = readFileSync(path.join(import.meta.dirname, "../../../docs/schedules.md"), "utf8");
  const [first = "", second = ""] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block ?? "");
  const run = (script: string) =>
    execFileSync("bash", ["-ec", script.replace("API=http://localhost:8000/api/w/demo", `API=${shared().url}/api/w/${ws.id}`)], {
      env: { ...process.env, TOKEN: shared().token },
      encoding: "utf8",
    }).split("\n");
  const said = run(first);
  const [preview = "", created, queued = "", off, on] = said;
  expect((JSON.parse(preview) as string[]).length).toBe(5);
  expect(created).toBe("f/ops/morning");
  expect(JSON.parse(queued)).toMatchObject([
    { type: "QueuedJob", running: false, script_path: "f/ops/report", schedule_path: "f/ops/morning", trigger_kind: "schedule" },
  ]);
  expect([off, on]).toEqual(["The schedule f/ops/morning is off.", "The schedule f/ops/morning is on."]);
  const [helper, call] = first.split("\n");
  const [updated, listed = "", deleted] = run(`${helper}\n${call}\n${second}`);
  expect(updated).toBe("f/ops/morning");
  expect(JSON.parse(listed)).toMatchObject([{ path: "f/ops/morning", schedule: "*/10 * * * *", jobs: [] }]);
  expect(deleted).toBe("The schedule f/ops/morning was deleted.");
});

it("a schedule runs its script at each of its seconds, until it is turned off", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "ops" }), 201);
  await ws.saveScript({ path: "f/ops/when", language: "bash", content: 'echo "$WM_SCHEDULE_PATH $WM_SCHEDULED_FOR"' });
  const schedule = { schedule: "*/2 * * * * *", timezone: "UTC", script_path: "f/ops/when", is_flow: false, args: {} };
  expectStatus(await ws.post("schedules/create", { path: "f/ops/often", ...schedule }), 201);
  const ended = await until(
    async () => {
      const jobs = (await ws.get("jobs/completed/list", { schedule_path: "f/ops/often" })).json as { success: boolean }[];
      return jobs.length >= 2 ? jobs : undefined;
    },
    { what: "two runs have ended" },
  );
  for (const { success } of ended) expect(success).toBe(true);
  expectStatus(await ws.post("schedules/setenabled/f/ops/often", { enabled: false }), 200);
  // A run that had begun ends, and no other one follows.
  await until(async () => ((await ws.get("jobs/queue/list", { schedule_path: "f/ops/often" })).json as object[]).length === 0, {
    what: "the end of the last run",
  });
  const [latest] = (await ws.get("schedules/list_with_jobs")).json as { jobs: { id: string }[] }[];
  const { json } = await ws.get(`jobs_u/completed/get_result/${latest?.jobs[0]?.id}`);
  expect(json).toMatch(/^f\/ops\/often \d{4}-\d\d-\d\dT\d\d:\d\d:\d[02468]\.000Z$/);
  expect((await ws.get("scripts/get_triggers_count/f/ops/when")).json).toMatchObject({ schedule_count: 1 });
});
