import { getManifest, type RunnerLanguage } from "../../contract/languages.ts";
import { assertNever } from "../../contract/utilities/assert-never.ts";
import { readJavascriptImports } from "./javascript-imports.ts";
import { readSpecifier } from "./packages/package-specifiers.ts";
import { readPythonImports } from "./python-imports.ts";

/**
 * Lists the paths of the scripts that a source imports, without extension, each once. The caller follows them transitively and leaves out
 * those that do not exist: in Python `from f.ops.tools import clean` names either the script `f/ops/tools` or `f/ops/tools/clean`, and only
 * the stored scripts show which. An import that remains unresolved fails the build. Never throws.
 */
export function listScriptImports(language: RunnerLanguage, path: string, source: string): string[] {
  const { imports } = getManifest(language);
  switch (imports) {
    case "javascript":
      return typescriptScriptImports(path, source);
    case "python":
      return pythonScriptImports(path, source);
    case "none":
      return [];
    default:
      return assertNever(imports);
  }
}

function typescriptScriptImports(path: string, source: string): string[] {
  const paths = new Set<string>();
  for (const text of readJavascriptImports(source).specifiers) {
    const specifier = readSpecifier(path, text);
    if (specifier.kind === "script") paths.add(specifier.path);
  }
  paths.delete(path);
  return [...paths];
}

function pythonScriptImports(path: string, source: string): string[] {
  const paths = new Set(pythonReadings(path, source).flat());
  paths.delete(path);
  return [...paths];
}

/** For each import of scripts, the scripts that it may mean. */
function pythonReadings(path: string, source: string): string[][] {
  return readPythonImports(source).flatMap(({ level, module, names }) => {
    const folder = level === 0 ? [] : path.split("/").slice(0, -level);
    const base = [...folder, ...module.split(".").filter(Boolean)];
    if (base[0] !== "f" && base[0] !== "u") return [];
    if (names.length === 0) return base.length >= 3 ? [[base.join("/")]] : [];
    return names.map((name) => [base, [...base, name]].filter(({ length }) => length >= 3).map((parts) => parts.join("/")));
  });
}

/**
 * Finds a script that a source imports and that is not in `existingScripts`, the scripts that exist. Returns `undefined` if all exist. Only Python
 * needs this check: the JavaScript bundler reports a missing script itself, with the line.
 */
export function findMissingScript(
  language: RunnerLanguage,
  path: string,
  source: string,
  existingScripts: ReadonlySet<string>,
): string | undefined {
  if (getManifest(language).imports !== "python") return undefined;
  const has = (candidate: string) =>
    existingScripts.has(candidate) || [...existingScripts].some((other) => other.startsWith(`${candidate}/`));
  return pythonReadings(path, source).find((readings) => readings.length > 0 && !readings.some(has))?.[0];
}
