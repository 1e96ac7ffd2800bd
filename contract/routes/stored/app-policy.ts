import * as z from "zod";

export const executionMode = z.enum(["viewer", "publisher", "guest", "anonymous"]);

/** Defines who may open the app and as whom its scripts run. Further fields are stored as sent. */
export const policySchema = z.looseObject({
  execution_mode: executionMode,
  on_behalf_of: z.string().max(300).nullish().describe("Set by the server."),
  on_behalf_of_email: z.string().max(300).nullish().describe("The caller, or with preserve_on_behalf_of the user whom an admin names."),
});
export type AppPolicy = z.output<typeof policySchema>;
