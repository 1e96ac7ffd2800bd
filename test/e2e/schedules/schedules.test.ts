import { expect, it } from "vitest";
import { expectStatus, newWorkspace } from "../../support/api/workspace.ts";
import { readings } from "../../support/docs/pages.ts";
import { readAloud } from "../../support/docs/reader.ts";
import { until } from "../../support/until.ts";

it("docs/schedules.md: every example does what the page describes", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "examples" }), 201);
  const outputs = await readAloud(readings.schedules, { workspace: ws.id });
  const [said = [], later = []] = outputs.map((output) => output.split("\n"));
  const [_hash, preview = "", created, queued = "", off, on] = said;
  expect((JSON.parse(preview) as string[]).length).toBe(10);
  expect(created).toBe("f/examples/morning");
  expect(JSON.parse(queued)).toMatchObject([
    { type: "QueuedJob", running: false, script_path: "f/examples/report", schedule_path: "f/examples/morning", trigger_kind: "schedule" },
  ]);
  expect([off, on]).toEqual(["The schedule f/examples/morning is off.", "The schedule f/examples/morning is on."]);
  const [updated, listed = "", deleted] = later;
  expect(updated).toBe("f/examples/morning");
  expect(JSON.parse(listed)).toMatchObject([{ path: "f/examples/morning", schedule: "*/10 * * * *", jobs: [] }]);
  expect(deleted).toBe("The schedule f/examples/morning was deleted.");
});

it("a schedule runs its script at each of its seconds, until it is turned off", async () => {
  const ws = await newWorkspace();
  expectStatus(await ws.post("folders/create", { name: "ops" }), 201);
  await ws.saveScript({ path: "f/ops/when", language: "bash", content: 'echo "$WM_SCHEDULE_PATH $WM_SCHEDULED_FOR"' });
  const schedule = { schedule: "*/2 * * * * *", timezone: "UTC", script_path: "f/ops/when", is_flow: false, args: {} };
  // Others may change the script, which runs with the rights of the admin.
  expectStatus(await ws.post("acls/add/script/f/ops/when", { owner: "g/all", write: true }), 200);
  const { headers } = expectStatus(await ws.post("schedules/create", { path: "f/ops/often", ...schedule }), 201);
  expect(headers.get("x-svc-warning")).toMatch(/^Others may change what this runs: f\/ops\/when \(g\/all\)\. /);
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
