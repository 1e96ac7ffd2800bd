import * as z from "zod";

/** EventBridge's event for a status change of an execution. `undefined`: its name is not `<job>.<number>`, so svc did not start it. */
export const executionEventSchema = z
  .object({ detail: z.object({ name: z.string(), status: z.string() }) })
  .transform(({ detail: { name, status } }) => {
    const [, job = "", number = ""] = /^([0-9a-f-]{36})\.(\d+)$/.exec(name) ?? [];
    return job === "" ? undefined : { job, execution: Number(number), stopped: status === "ABORTED" };
  });
