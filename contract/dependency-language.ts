import * as z from "zod";

/** `bun` for all languages with npm packages. */
export const dependencyLanguage = z.enum(["bun", "python3", "go"]);
export type DependencyLanguage = z.output<typeof dependencyLanguage>;

/** The names of the files that contain the lists of package versions in a synchronised folder (api.md §6.2), after the name of a list and a dot. */
export const dependencyFiles: Readonly<Record<DependencyLanguage, string>> = {
  bun: "package.json",
  python3: "requirements.in",
  go: "go.mod",
};
