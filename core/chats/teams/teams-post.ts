import * as z from "zod";

/** A message of a script. Function `approve` has checked the right to read the resource; function `deliver` posts it. */
export const teamsPostSchema = z.object({
  kind: z.literal("teamsPost"),
  workspace: z.string(),
  resource: z.string(),
  conversation: z.string(),
  server: z.string(),
  text: z.string(),
  card: z.record(z.string(), z.unknown()).optional(),
});
export type TeamsPost = z.infer<typeof teamsPostSchema>;
