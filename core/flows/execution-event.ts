import * as z from "zod";

/** A status change of an execution as EventBridge tells it. The execution's name is `<job>.<n>`. */
export const executionEventSchema = z
  .object({ detail: z.object({ name: z.string().regex(/^[0-9a-f-]{36}\.\d+$/), status: z.string() }) })
  .transform(({ detail: { name, status } }) => {
    const [job = "", n = ""] = name.split(".");
    return { job, n: Number(n), stopped: status === "ABORTED" };
  });
