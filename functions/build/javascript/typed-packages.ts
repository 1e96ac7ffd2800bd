import { readFile, realpath, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, posix, sep } from "node:path";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { limits } from "../../../contract/limits.ts";

/** The editor has these, or a description of them. */
const OF_EDITOR = new Set(["@types/node", "undici-types", "@types/bun", "bun-types"]);
/** The conditions of `exports` under which the editor finds types. */
const CONDITIONS = new Set(["types", "import", "default"]);
/** Conditions in conditions. */
const MOST_LEVELS = 8;
/** The fields of a manifest that say where types are. */
const FIELDS = ["name", "version", "type", "types", "typings", "main", "exports"] as const;

type Manifest = Partial<Record<(typeof FIELDS)[number], unknown>>;

/** The packages below a folder, and where their declarations are. Paths begin with `node_modules/`. */
export class TypedPackages {
  private readonly root: string;
  private readonly manifests = new Map<string, Manifest | undefined>();

  private constructor(root: string) {
    this.root = root;
  }

  static async open(dir: string): Promise<TypedPackages> {
    return new TypedPackages(await realpath(dir));
  }

  /** Reads a file of a package. A manifest has only the fields that say where types are. Returns `undefined` for what is no such file. */
  async readText(path: string): Promise<string | undefined> {
    if (!path.endsWith("/package.json")) return await this.read(path);
    const manifest = await this.loadManifest(posix.dirname(path));
    return manifest && JSON.stringify(manifest);
  }

  /**
   * Returns the files that an import in the file `from` needs: none if there are no types, and `undefined` if a relative import names a file
   * that the package lacks.
   */
  async resolve(from: string, specifier: string): Promise<string[] | undefined> {
    if (specifier.startsWith(".")) {
      const found = await this.findDeclaration(folderOf(from) ?? "", posix.join(posix.dirname(from), specifier));
      return found.length > 0 ? found : undefined;
    }
    const [, name, subpath = ""] = /^(@[^/]+\/[^/]+|[^@./][^/]*)(\/.*)?$/.exec(specifier) ?? [];
    return name === undefined || isBuiltin(specifier) ? [] : await this.resolvePackage(from, name, subpath);
  }

  /** Returns the manifest and the declaration of a package, which may be nested in the one that contains the file `from`. */
  async resolvePackage(from: string, name: string, subpath: string): Promise<string[]> {
    const typesName = `@types/${name.replace(/^@/, "").replace("/", "__")}`;
    if (OF_EDITOR.has(name) || OF_EDITOR.has(typesName)) return [];
    for (let base: string | undefined = folderOf(from) ?? ""; base !== undefined; base = outerOf(base)) {
      for (const each of [name, typesName]) {
        const folder = posix.join(base, "node_modules", each);
        const manifest = await this.loadManifest(folder);
        const [declaration] = manifest ? await this.findEntry(folder, manifest, subpath) : [];
        if (declaration !== undefined) return [`${folder}/package.json`, declaration];
      }
    }
    return [];
  }

  private async findEntry(folder: string, manifest: Manifest, subpath: string): Promise<string[]> {
    const { types, typings, main, exports } = manifest;
    const hasExports = exports !== undefined && exports !== null;
    const others = subpath === "" ? [types, typings, main, "index"] : [subpath];
    for (const target of hasExports ? listExports(exports, `.${subpath}`) : others) {
      const found = typeof target === "string" ? await this.findDeclaration(folder, posix.join(folder, target)) : [];
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Finds the declaration of a file that may be named by its JavaScript or by its source. */
  private async findDeclaration(folder: string, path: string): Promise<string[]> {
    const [, base = path, kind] = /^(.*)\.([cm]?)[jt]sx?$/s.exec(path) ?? [];
    const named = kind === undefined ? [] : [`${base}.d.${kind}ts`, `${base}.${kind}ts`];
    const candidates = /\.d\.[cm]?ts$/.test(path) ? [path] : [...named, `${path}.d.ts`, `${path}/index.d.ts`, `${path}.ts`];
    for (const candidate of candidates) if (candidate.startsWith(`${folder}/`) && (await this.isFile(candidate))) return [candidate];
    return [];
  }

  private async loadManifest(folder: string): Promise<Manifest | undefined> {
    if (!this.manifests.has(folder)) {
      const text = await this.read(`${folder}/package.json`);
      this.manifests.set(folder, text === undefined ? undefined : parseManifest(text));
    }
    return this.manifests.get(folder);
  }

  private async read(path: string): Promise<string | undefined> {
    return (await this.isFile(path)) ? await readFile(join(this.root, path), "utf8") : undefined;
  }

  /** A link may point anywhere, and a larger file would be refused in any case. */
  private async isFile(path: string): Promise<boolean> {
    try {
      const absolute = await realpath(join(this.root, path));
      const found = await stat(absolute);
      return absolute === join(this.root, path.split("/").join(sep)) && found.size <= limits.declarationBytes && found.isFile();
    } catch {
      // A package may name files that it does not contain, and names that no file can have.
      return false;
    }
  }
}

function parseManifest(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? Object.fromEntries(FIELDS.flatMap((name) => (name in value ? [[name, value[name]]] : []))) : undefined;
  } catch {
    // The package has no types that can be found.
    return undefined;
  }
}

/** Returns the folder of the innermost package that contains a file. */
const folderOf = (path: string): string | undefined => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@]+(?=\/)/.exec(path)?.[0];

/** Returns the folder of the package in which another one is nested, and the root for an outer one. */
const outerOf = (folder: string): string | undefined => (folder === "" ? undefined : (folderOf(folder.replace(/\/[^/]+$/, "")) ?? ""));

/** Lists the targets of a subpath, such as `.` or `./sub`, in the `exports` of a manifest. The first one with a declaration counts. */
function listExports(exports: unknown, subpath: string): string[] {
  const isMap = isJsonObject(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  if (!isMap) return subpath === "." ? listTargets(exports, 0) : [];
  if (Object.hasOwn(exports, subpath)) return listTargets(exports[subpath], 0);
  const [best] = Object.keys(exports)
    .map((key) => ({ key, parts: key.split("*") }))
    .filter(({ parts: [before = "", after, ...more] }) => {
      const isLonger = after !== undefined && subpath.length >= before.length + after.length;
      return isLonger && more.length === 0 && subpath.startsWith(before) && subpath.endsWith(after);
    })
    .sort((a, b) => (b.parts[0] ?? "").length - (a.parts[0] ?? "").length);
  if (!best) return [];
  const [before = "", after = ""] = best.parts;
  const part = subpath.slice(before.length, subpath.length - after.length);
  return listTargets(exports[best.key], 0).map((target) => target.replaceAll("*", () => part));
}

function listTargets(target: unknown, level: number): string[] {
  if (typeof target === "string") return target.startsWith("./") ? [target] : [];
  if (level > MOST_LEVELS || typeof target !== "object" || target === null) return [];
  const choices = Array.isArray(target) ? target : Object.entries(target).flatMap(([key, value]) => (isChosen(key) ? [value] : []));
  return choices.flatMap((choice) => listTargets(choice, level + 1));
}

const isChosen = (condition: string) => CONDITIONS.has(condition) || condition.startsWith("types@");
