import * as z from "zod";

/** The location of a job's value: the head item, a child item of the same job, or S3. `json` is its JSON text. */
export const valueLocationSchema = z.discriminatedUnion("in", [
  z.object({ in: z.literal("head"), json: z.string() }),
  z.object({ in: z.literal("item"), ref: z.string() }),
  z.object({ in: z.literal("s3"), key: z.string(), bytes: z.number().optional() }),
]);
export type ValueLocation = z.infer<typeof valueLocationSchema>;

/** A value that is stored with a job. `redacted` is the copy for people, present where the value contains a secret. */
export const valueRefSchema = z.object({ jobId: z.string(), location: valueLocationSchema, redacted: valueLocationSchema.optional() });
export type ValueRef = z.infer<typeof valueRefSchema>;
