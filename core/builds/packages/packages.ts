import { getManifest } from "../../../contract/languages.ts";
import { assertNever } from "../../../contract/utilities/assert-never.ts";
import type { BuildRequest } from "../build.ts";
import { readJavascriptImports } from "../javascript-imports.ts";
import { findDistribution, isStandardModule } from "../python-distributions.ts";
import { readPythonImports } from "../python-imports.ts";
import { readRequirements } from "../python-requirements.ts";
import { findPythonClient, isOwnClient } from "./own-clients.ts";
import { readSpecifier } from "./package-specifiers.ts";
import { normalizeDistribution, type SelectedDependencies } from "./workspace-dependencies.ts";

/** A fault that the author of a script must fix. The message names the script. */
export class ImportProblem extends Error {
  override readonly name = "ImportProblem";
}

/**
 * Returns the npm packages that scripts import, in the form of `dependencies` of a package.json. The entries are sorted, so equal imports
 * yield equal text. A package without a version has the one that is selected for it, otherwise `latest`. Throws `ImportProblem`.
 */
export function listNpmPackages(files: Record<string, string>, selected: Readonly<Record<string, string>> = {}): Record<string, string> {
  const requirementByName = new Map<string, { version: string | undefined; by: string }>();
  for (const path of Object.keys(files).sort()) {
    const source = files[path] ?? "";
    for (const text of readJavascriptImports(source).specifiers) {
      const specifier = readSpecifier(path, text);
      // The bundler drops an unused import of this kind without a message.
      if (specifier.kind === "unsupported") throw new ImportProblem(`${path}.ts:${lineOf(source, text)}: ${specifier.reason}`);
      if (specifier.kind !== "package" || isOwnClient(specifier)) continue;
      const { name, version } = specifier;
      const other = requirementByName.get(name);
      if (version !== undefined && other?.version !== undefined && other.version !== version) {
        throw new ImportProblem(`${other.by} imports ${name}@${other.version} and ${path} imports ${name}@${version}: use one version`);
      }
      if (!other || version !== undefined) requirementByName.set(name, { version: version ?? other?.version, by: path });
    }
  }
  const sorted = [...requirementByName].sort(([a], [b]) => (a < b ? -1 : 1));
  const selectedFor = (name: string) => (Object.hasOwn(selected, name) ? selected[name] : undefined);
  return Object.fromEntries(sorted.map(([name, { version }]) => [name, version ?? selectedFor(name) ?? "latest"]));
}

function lineOf(source: string, text: string): number {
  return source.slice(0, source.indexOf(text)).split("\n").length;
}

/**
 * Returns the sorted requirements of Python scripts. If a script lists its requirements in a comment, its imports are ignored; the imports
 * of other scripts are mapped to distributions, in the versions that are selected for them. Throws `ImportProblem`.
 */
export function listPythonRequirements(
  files: Record<string, string>,
  pythonVersion: string,
  { entries, all }: SelectedDependencies = { entries: {}, all: false },
): string[] {
  const requirements = new Set<string>(all ? Object.values(entries) : []);
  const withVersion = (name: string) => {
    const normalized = normalizeDistribution(name);
    return Object.hasOwn(entries, normalized) ? (entries[normalized] ?? name) : name;
  };
  for (const [path, source] of Object.entries(files)) {
    const { only, extra, problem } = readRequirements(source);
    if (problem) throw new ImportProblem(`${path}: ${problem}`);
    for (const requirement of only ?? [...extra, ...importedDistributions(source, pythonVersion).map(withVersion)])
      requirements.add(requirement);
  }
  return [...requirements].sort();
}

function importedDistributions(source: string, pythonVersion: string): string[] {
  const names: string[] = [];
  for (const imported of readPythonImports(source)) {
    const { level, module, names: members } = imported;
    const [top = ""] = module.split(".");
    if (level > 0 || top === "f" || top === "u" || isStandardModule(top, pythonVersion) || findPythonClient(imported)) continue;
    // `from google.cloud import storage` identifies the distribution only together with its members.
    const modules = members.length > 0 ? members.map((member) => `${module}.${member}`) : [module];
    names.push(...modules.map(findDistribution));
  }
  return names;
}

/** Lists the packages that a build installs from a registry, in the notation of the language's own tool. Throws `ImportProblem`. */
export function listPackages({
  language,
  files,
  dependencies,
  target,
}: Pick<BuildRequest, "language" | "files" | "dependencies" | "target">): string[] {
  const { imports } = getManifest(language);
  switch (imports) {
    case "javascript":
      return Object.entries(listNpmPackages(files, dependencies?.entries)).map(([name, version]) => `${name}@${version}`);
    case "python":
      return listPythonRequirements(files, target.python, dependencies);
    case "none":
      return [];
    default:
      return assertNever(imports);
  }
}
