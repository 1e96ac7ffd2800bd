import type { EndState, Job } from "../../core/jobs/record/job.ts";
import { handlerNameFor, isMuted, mayCallHandler, mayCallSuccessHandler } from "../../core/outcome-handlers/handler.ts";
import { continuesSchedule } from "../../core/schedules/next-run.ts";
import type { Queue } from "../../ports/queues.ts";
import type { FollowUps } from "../jobs/lifecycle/follow-ups.ts";
import type { Uses } from "../uses.ts";
import { loadWorkspaceHandler } from "../workspaces/handlers.ts";
import { mayCallScheduleHandler } from "./find-schedule.ts";
import { findTriggerHandler } from "./trigger-handler.ts";

/**
 * Connects the end of a job with its handlers, its schedule and its messages in chats. The end of a failed job reads the settings of its workspace, that of a successful one only if there may be a
 * success handler. A worker then starts the handlers: the functions that end jobs need no right to start them.
 */
export function connectOutcomeHandlers({
  objects,
  queue,
  nowMs,
}: Uses<"objects" | "nowMs"> & { queue: Pick<Queue, "sendFollowUp"> }): FollowUps {
  return {
    areWanted: async (job, state) =>
      continuesSchedule(job) ||
      (job.chats ?? 0) > 0 ||
      (mayCallHandler(job) &&
        ((await mayCallScheduleHandler(objects, job, state)) ||
          (await callsWorkspaceHandler({ objects }, job, { state, nowMs: nowMs() })))),
    request: (ended) => queue.sendFollowUp(ended),
  };
}

async function callsWorkspaceHandler(
  { objects }: Uses<"objects">,
  job: Job,
  { state, nowMs }: { state: EndState; nowMs: number },
): Promise<boolean> {
  const name = handlerNameFor(state);
  if (name === "success_handler" && !mayCallSuccessHandler(job, nowMs)) return false;
  if (await findTriggerHandler(objects, job, state)) return true;
  // Loaded on first use, so that the functions start faster: few jobs fail.
  const { mayReport } = await import("./report-failures.ts");
  if (await mayReport(objects, job, state)) return true;
  const handler = await loadWorkspaceHandler(objects, job.workspace, name);
  return handler !== undefined && !isMuted(handler, job, state);
}
