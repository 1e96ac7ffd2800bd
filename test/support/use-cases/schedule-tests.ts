import type { NewSchedule } from "../../../contract/routes/schedules/schedule.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { scheduleObject } from "../../../core/schedules/schedule.ts";
import { handleJobMessage } from "../../../services/execution/handle-job-message.ts";
import { getSchedule } from "../../../services/schedules/read.ts";
import { deleteSchedule } from "../../../services/schedules/save.ts";
import { listJobs, resumeDue } from "./room-jobs.ts";
import { addSchedule, newScheduleRoom } from "./room-schedules.ts";

const HOUR_MS = 3_600_000;

/** Opens a room for tests of schedules, with what they read and how they let time pass. */
export async function openScheduleTests() {
  const room = await newScheduleRoom();
  /** Other schedules would run beside those of the next test. */
  async function removeSchedules(): Promise<void> {
    const { objects, jobs } = room.deps;
    for (const { sk: path } of await objects.list(scheduleObject.partitionKey(room.workspace)))
      await deleteSchedule(room.deps, room.workspace, path);
    for (const job of await listJobs(room)) await jobs.deleteItem(job.id, "job");
  }

  /** The jobs of a schedule, oldest tick first. */
  async function runsOf(path: string): Promise<Job[]> {
    const jobs = await listJobs(room);
    return jobs.filter(({ schedulePath }) => schedulePath === path).sort((a, b) => (a.scheduledForMs ?? 0) - (b.scheduledForMs ?? 0));
  }
  const statesOf = async (path: string) => (await runsOf(path)).map(({ state }) => state);
  const waitingOf = async (path: string) => (await runsOf(path)).filter(({ state }) => state === "queued");

  /** Lets time pass until an instant, and handles the messages that are due then, as SQS and housekeeping do. */
  async function passUntil(atMs: number): Promise<void> {
    room.clock.nowMs = atMs;
    await resumeDue(room);
    for (const job of await listJobs(room)) {
      if (job.state === "queued" && (job.scheduledForMs ?? 0) <= atMs) await handle(job.id);
    }
  }
  async function handle(id: string): Promise<void> {
    const job = await room.deps.jobs.get(id);
    if (job) await handleJobMessage(room.deps, { job: id, ...(job.claimer === undefined ? {} : { claimer: job.claimer }) });
  }
  const aSchedule = (fields: Partial<NewSchedule> = {}) => addSchedule(room, { schedule: "0 0 * * * *", ...fields });
  const load = (path: string) => getSchedule(room.deps, room.workspace, path);
  const nextHour = () => Math.floor(room.clock.nowMs / HOUR_MS) * HOUR_MS + HOUR_MS;
  return { room, removeSchedules, runsOf, statesOf, waitingOf, passUntil, handle, aSchedule, load, nextHour };
}
