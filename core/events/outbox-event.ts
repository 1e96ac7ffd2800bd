import { eventSchema } from "../../contract/events.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/** An event of a workspace or of the instance. */
export const outboxEventObject = defineObject({
  name: "event",
  partition: "OUTBOX",
  ...inWorkspace,
  sort: (id: string) => id,
  schema: eventSchema,
});
