import * as z from "zod";
import { people } from "../../aws/cognito/people.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { newWorkspaceSchema } from "../../contract/routes/workspaces/workspaces.ts";
import { setUpInstance } from "../../services/identity/set-up.ts";
import { observeHandler } from "../shared/observe.ts";

const askedSchema = z.object({
  email: z.email(),
  password: z.string().min(12).optional(),
  workspace: newWorkspaceSchema.pick({ id: true, name: true }).optional(),
  token: z.object({ label: z.string().max(200) }).optional(),
});

/** The one-shot function that makes the first superadmin. Only who may invoke it by hand can: it has no route. */
export const handler = observeHandler("set up", (event: unknown) =>
  setUpInstance({ objects: objectTable, people, nowMs: Date.now }, askedSchema.parse(event)),
);
