import * as z from "zod";
import { dependencyLanguage } from "../../contract/dependency-language.ts";
import { defineObject, inWorkspace, sortableNumber } from "../objects/define-object.ts";

const dependencyListSchema = z.object({
  id: z.number(),
  language: dependencyLanguage,
  name: z.string().optional(),
  description: z.string().optional(),
  content: z.string(),
  archived: z.boolean(),
  createdAtMs: z.number(),
});
export type StoredDependencyList = z.infer<typeof dependencyListSchema>;

/** A list of package versions for the scripts of a workspace. The default of a language has no name. */
export const dependencyListObject = defineObject({
  name: "list of dependencies",
  partition: "DEPS",
  ...inWorkspace,
  sort: (language: string, name: string) => `${language}#${name}`,
  schema: dependencyListSchema,
});

/** A former content of such a list, by its id. Contents of a list are sorted by age. */
export const archivedDependencyListObject = defineObject({
  name: "archived list of dependencies",
  partition: "DEPSA",
  ...inWorkspace,
  sort: (language: string, name: string, id: number | "") => `${language}#${name}#${id === "" ? "" : sortableNumber(id)}`,
  schema: dependencyListSchema,
});
