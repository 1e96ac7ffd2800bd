import * as z from "zod";
import { defineObject } from "../objects/define-object.ts";

/** The job that an idempotent request started. `hash` covers the caller, the runnable and the key. */
export const repeatedCallObject = defineObject({
  name: "idempotency key",
  partition: "IDEMPOTENCY",
  within: (hash: string) => hash,
  sort: () => "key",
  belongsTo: "none",
  schema: z.object({ job: z.string(), fingerprint: z.string() }),
});
