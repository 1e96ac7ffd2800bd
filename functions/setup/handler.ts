import * as z from "zod";
import { people } from "../../aws/cognito/people.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { env } from "../../contract/env.ts";
import { newWorkspaceSchema } from "../../contract/routes/workspaces/workspace-schemas.ts";
import { setUpInstance } from "../../services/identity/set-up.ts";
import { observeHandler } from "../shared/observe.ts";

const setUpRequestSchema = z.object({
  email: z.email(),
  password: z.string().min(12).optional(),
  workspace: newWorkspaceSchema.pick({ id: true, name: true }).optional(),
  token: z.object({ label: z.string().max(200) }).optional(),
});

/** Creates the first superadmin. The function has no route: it is invoked with AWS credentials only. */
export const handler = observeHandler("set up", (event: unknown) =>
  setUpInstance(
    { objects: objectTable, people, nowMs: Date.now, instanceEventsUrl: process.env[env.instanceEvents] },
    setUpRequestSchema.parse(event),
  ),
);
