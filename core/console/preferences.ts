import { preferencesSchema } from "../../contract/routes/console/preferences.ts";
import { defineObject } from "../objects/define-object.ts";

/** The preferences of a user in the console. They belong to no workspace. */
export const preferencesObject = defineObject({
  name: "preferences",
  partition: "PREFERENCES",
  sort: (person: string) => person,
  belongsTo: "none",
  schema: preferencesSchema,
});
