import * as z from "zod";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/** A waiting gate by its id, for the list of pending approvals. */
export const pendingGateObject = defineObject({
  name: "waiting approval",
  partition: "PENDING",
  ...inWorkspace,
  sort: (gate: string) => gate,
  schema: z.object({ flow: z.string() }),
});
