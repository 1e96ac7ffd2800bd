import * as z from "zod";
import { valueLocationSchema } from "./job.ts";

/** A value stored with the job `of`. `shown` is the redacted copy for people, present where the value contains a secret. */
export const valueRefSchema = z.object({ of: z.string(), place: valueLocationSchema, shown: valueLocationSchema.optional() });
export type ValueRef = z.infer<typeof valueRefSchema>;
