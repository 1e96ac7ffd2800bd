import * as z from "zod";

/** The error with which the service stops an execution. */
export const STOPPED_BY_SERVICE = "Canceled";

/** EventBridge's event for a status change of an execution. `undefined`: its name is not `<job>.<number>`, so svc did not start it. */
export const executionEventSchema = z
  .object({ detail: z.object({ name: z.string(), status: z.string(), error: z.string().nullish() }) })
  .transform(({ detail: { name, status, error } }) => {
    const [, job = "", number = ""] = /^([0-9a-f-]{36})\.(\d+)$/.exec(name) ?? [];
    if (job === "") return undefined;
    const stopped = status === "ABORTED";
    // The service itself stops executions of canceled and lost flows with this error.
    return { job, execution: Number(number), stopped, failed: !(stopped && error === STOPPED_BY_SERVICE) };
  });
