import type { FlowStatus } from "../../contract/routes/flows/flow-status.ts";
import type { JobUpdateJson } from "../../contract/routes/jobs/job.ts";
import type { ApiClient } from "../api/client.ts";
import type { Context } from "../context.ts";
import { listStepEvents, listStepJobs } from "./flow-steps.ts";
import { showGates } from "./show-gates.ts";

/** The maximum number of jobs of steps whose logs are shown. A loop may have thousands. */
const MOST_STEPS = 100;

/** Prints the log and the streamed result of a job until it has ended. */
export async function followJob(context: Context, client: ApiClient, id: string): Promise<void> {
  await readUpdates(client, id, (update) => printOutput(context, update));
}

/** Prints the steps of a flow with their logs and the approvals for which it waits, until it has ended. */
export async function followFlow(context: Context, client: ApiClient, id: string): Promise<void> {
  const steps = new Map<string, Promise<void>>();
  let status: FlowStatus | undefined;
  await readUpdates(client, id, async (update) => {
    printOutput(context, update);
    const { flow_status: next } = await client.call.jobs.get({ id, query: { no_logs: true, no_code: true } });
    if (next === undefined) return;
    const events = listStepEvents(status, next);
    status = next;
    for (const { text, ...event } of events) context.output.progress(event, `${text}\n`);
    for (const [job, step] of listStepJobs(next)) {
      if (job === id || steps.has(job) || steps.size >= MOST_STEPS) continue;
      const following = followStep(context, client, job, step);
      // A failure is thrown at the end of the flow. Until then, it must not end the process.
      following.catch(() => undefined);
      steps.set(job, following);
    }
    if (events.some(({ type }) => type === "waiting")) await showGates(context, client, id);
  });
  await Promise.all(steps.values());
  if (steps.size >= MOST_STEPS) context.output.say("The logs of further steps are not shown. Print one with: svc job logs <id>");
}

/** Prints the log of a step, each line with the step's id. Steps without a job have none. */
async function followStep(context: Context, client: ApiClient, job: string, step: string): Promise<void> {
  let rest = "";
  const print = (text: string) => context.output.progress({ step, job, log: text }, text.replace(/^/gm, `${step} | `).concat("\n"));
  await readUpdates(client, job, ({ new_logs: text = "" }) => {
    rest += text;
    const end = rest.lastIndexOf("\n");
    if (end < 0) return;
    print(rest.slice(0, end));
    rest = rest.slice(end + 1);
  });
  if (rest !== "") print(rest);
}

/** Calls a function with each change of a job until it has ended. The service delays each reply while nothing changes. */
async function readUpdates(client: ApiClient, id: string, call: (update: JobUpdateJson) => unknown): Promise<void> {
  for (let [log, stream] = [0, 0]; ; ) {
    const query = { running: true, log_offset: log, stream_offset: stream };
    const update = await client.find.jobs.getUpdate({ id, query });
    if (update === undefined) return;
    await call(update);
    log = update.log_offset ?? log + (update.new_logs ?? "").length;
    stream = update.stream_offset ?? stream;
    if (update.completed) return;
  }
}

function printOutput({ output }: Context, { new_logs: log, new_result_stream: stream }: JobUpdateJson): void {
  if (log) output.progress({ log }, log);
  if (stream) output.progress({ stream }, stream);
}
