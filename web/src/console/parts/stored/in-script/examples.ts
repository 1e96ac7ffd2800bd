/** The languages in which an example is shown. */
export const exampleLanguages = { typescript: "TypeScript", python: "Python", go: "Go", bash: "Bash" } as const;
export type ExampleLanguage = keyof typeof exampleLanguages;

type Kind = "variable" | "resource";

const functions = {
  variable: { typescript: "getVariable", python: "get_variable", go: "GetVariable", route: "variables/get_value" },
  resource: { typescript: "getResource", python: "get_resource", go: "GetResource", route: "resources/get_value_interpolated" },
} as const;

/** Returns the statement of a script that reads a stored value. */
export function exampleOf(kind: Kind, path: string, language: ExampleLanguage): string {
  const named = functions[kind];
  // Paths contain no quotes and no backslashes.
  switch (language) {
    case "typescript":
      return `import { ${named.typescript} } from "svc-client";\n\nconst value = await ${named.typescript}("${path}");\n`;
    case "python":
      return `import svc\n\nvalue = svc.${named.python}("${path}")\n`;
    case "go":
      return `import svc "svc-client"\n\nvalue, err := svc.${named.go}("${path}")\n`;
    default:
      return `curl -sS --fail -H "Authorization: Bearer $OV_TOKEN" "$BASE_INTERNAL_URL/api/w/$OV_WORKSPACE/${named.route}/${path}"\n`;
  }
}
