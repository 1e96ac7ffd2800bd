import { defined } from "../../../../contract/defined.ts";
import type { NewSchedule } from "../../../../contract/routes/schedules/schedule.ts";
import type { Job } from "../../../../core/jobs/record/job.ts";
import { scheduleObject } from "../../../../core/schedules/schedule.ts";
import { handleJobMessage } from "../../../../services/execution/handle-job-message.ts";
import { getSchedule } from "../../../../services/schedules/read.ts";
import { deleteSchedule } from "../../../../services/schedules/save.ts";
import { listJobs, resumeDue } from "../world-jobs.ts";
import { anAdmin } from "../world-people.ts";
import { addSchedule, newScheduleWorld } from "../world-schedules.ts";

const HOUR_MS = 3_600_000;

/** Opens a world for tests of schedules, with what they read and how they let time pass. */
export async function openScheduleTests() {
  const world = await newScheduleWorld();
  /** Other schedules would run during the next test. */
  async function removeSchedules(): Promise<void> {
    const { objects, jobs } = world.deps;
    for (const { sk: path } of await objects.list(scheduleObject.partitionKey(world.workspace)))
      await deleteSchedule(world.deps, { actor: anAdmin, workspace: world.workspace, path });
    for (const job of await listJobs(world)) await jobs.deleteItem(job.id, "job");
  }

  /** The jobs of a schedule, oldest tick first. */
  async function runsOf(path: string): Promise<Job[]> {
    const jobs = await listJobs(world);
    return jobs.filter(({ schedulePath }) => schedulePath === path).sort((a, b) => (a.scheduledForMs ?? 0) - (b.scheduledForMs ?? 0));
  }
  const statesOf = async (path: string) => (await runsOf(path)).map(({ state }) => state);
  const waitingOf = async (path: string) => (await runsOf(path)).filter(({ state }) => state === "queued");

  /** Lets time pass until an instant, and handles the messages that are due then, as SQS and housekeeping do. */
  async function passUntil(atMs: number): Promise<void> {
    world.clock.nowMs = atMs;
    await resumeDue(world);
    for (const job of await listJobs(world)) {
      if (job.state === "queued" && (job.scheduledForMs ?? 0) <= atMs) await handle(job.id);
    }
  }
  async function handle(id: string): Promise<void> {
    const job = await world.deps.jobs.get(id);
    if (job) await handleJobMessage(world.deps, { job: id, ...defined({ claimer: job.claimer }) });
  }
  const aSchedule = (fields: Partial<NewSchedule> = {}) => addSchedule(world, { schedule: "0 0 * * * *", ...fields });
  const load = (path: string) => getSchedule(world.deps, world.workspace, path).then(({ json }) => json);
  const nextHour = () => Math.floor(world.clock.nowMs / HOUR_MS) * HOUR_MS + HOUR_MS;
  return { world, removeSchedules, runsOf, statesOf, waitingOf, passUntil, handle, aSchedule, load, nextHour };
}
