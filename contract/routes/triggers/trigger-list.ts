import * as z from "zod";
import { page } from "../../common.ts";

export const triggerListQuery = z.object({
  ...page,
  path: z.string().optional(),
  /** `true` or `false`. */
  is_flow: z.enum(["true", "false"]).optional(),
  path_start: z.string().optional(),
  label: z.string().optional(),
});
export type TriggerListQuery = z.output<typeof triggerListQuery>;
