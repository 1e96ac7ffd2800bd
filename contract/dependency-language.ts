import * as z from "zod";

/** `bun` for all languages with npm packages. */
export const dependencyLanguage = z.enum(["bun", "python3", "go"]);
export type DependencyLanguage = z.output<typeof dependencyLanguage>;
