import * as z from "zod";

/** A status change of an execution as EventBridge tells it. `undefined`: its name is not `<job>.<n>`, so somebody else has started it. */
export const executionEventSchema = z
  .object({ detail: z.object({ name: z.string(), status: z.string() }) })
  .transform(({ detail: { name, status } }) => {
    const [, job = "", n = ""] = /^([0-9a-f-]{36})\.(\d+)$/.exec(name) ?? [];
    return job === "" ? undefined : { job, n: Number(n), stopped: status === "ABORTED" };
  });
