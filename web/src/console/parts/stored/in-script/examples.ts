/** The languages in which an example is shown. */
export const exampleLanguages = { typescript: "TypeScript", python: "Python", go: "Go", bash: "Bash" } as const;
export type ExampleLanguage = keyof typeof exampleLanguages;

type Kind = "variable" | "resource";

const functions = {
  variable: { typescript: "getVariable", python: "get_variable", go: "GetVariable", route: "variables/get_value" },
  resource: { typescript: "getResource", python: "get_resource", go: "GetResource", route: "resources/get_value_interpolated" },
} as const;

/** Returns the code of a script that reads a stored value, with its import. */
export function exampleOf(kind: Kind, path: string, language: ExampleLanguage): string {
  const read = `${readingOf(kind, path, language)}\n`;
  switch (language) {
    case "typescript":
      return `import { ${functions[kind].typescript} } from "svc-client";\n\n${read}`;
    case "python":
      return `import svc\n\n${read}`;
    case "go":
      return `import svc "svc-client"\n\n${read}`;
    default:
      return read;
  }
}

/** Returns the statement that reads a stored value. */
export function readingOf(kind: Kind, path: string, language: ExampleLanguage): string {
  const named = functions[kind];
  // Paths contain no quotes and no backslashes.
  switch (language) {
    case "typescript":
      return `const value = await ${named.typescript}("${path}");`;
    case "python":
      return `value = svc.${named.python}("${path}")`;
    case "go":
      return `value, err := svc.${named.go}("${path}")`;
    default:
      return `curl -sS --fail -H "Authorization: Bearer $OV_TOKEN" "$BASE_INTERNAL_URL/api/w/$OV_WORKSPACE/${named.route}/${path}"`;
  }
}

/** Returns the function of our client that reads a stored value. Bash has none. */
export const readerOf = (kind: Kind, language: ExampleLanguage): string | undefined =>
  language === "bash" ? undefined : functions[kind][language];
