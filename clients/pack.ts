import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { transformSync } from "esbuild";
import { strToU8, type Zippable, zipSync } from "fflate";
import { packTar } from "modern-tar";
import ts from "typescript";
import { CLIENT_MODULE, CLIENT_PACKAGE } from "../contract/deployment/client-packages.ts";

const here = import.meta.dirname;
type Files = Map<string, Uint8Array>;

/** Zip archives have no earlier time, and the packages of equal sources have equal bytes. */
const TIME = new Date(1980, 0, 1);

const read = (...parts: string[]): Uint8Array => readFileSync(join(here, ...parts));
const readText = (...parts: string[]): string => readFileSync(join(here, ...parts), "utf8");
const list = (folder: string, pattern: RegExp): string[] =>
  readdirSync(join(here, folder))
    .filter((name) => pattern.test(name))
    .sort();

/** Writes the packages of the client libraries below `out`, under the paths at which a deployment serves them below `/clients/`. */
export async function packClients(out: string): Promise<void> {
  const files = new Map([...(await packNpm()), ...packWheel(), ...packGoModule()]);
  for (const [name, content] of files) {
    mkdirSync(dirname(join(out, name)), { recursive: true });
    writeFileSync(join(out, name), content);
  }
}

/** Returns the declarations of the types of the TypeScript client, by the name of the file. */
export function declareClientTypes(): Map<string, string> {
  return new Map(
    list("typescript/src", /\.ts$/).map((name) => {
      const { outputText } = ts.transpileDeclaration(readText("typescript/src", name), {
        fileName: name,
        compilerOptions: { declaration: true },
      });
      return [`${basename(name, ".ts")}.d.ts`, nameModules(outputText)] as const;
    }),
  );
}

/** Relative imports name the files of the package instead of the sources. */
const nameModules = (text: string): string => text.replace(/("\.\/[\w-]+)\.ts"/g, '$1.js"');

/** Returns the package for npm with the files that `npm pack` would take. */
async function packNpm(): Promise<Files> {
  const { scripts: _, ...manifest } = JSON.parse(readText("typescript/package.json")) as Record<string, unknown>;
  const modules = list("typescript/src", /\.ts$/).map((name) => {
    const { code } = transformSync(readText("typescript/src", name), { loader: "ts", format: "esm", target: "es2022" });
    return [`dist/${basename(name, ".ts")}.js`, nameModules(code)] as const;
  });
  const texts: (readonly [string, string])[] = [
    ["package.json", `${JSON.stringify(manifest, undefined, 2)}\n`],
    ["README.md", readText("typescript/README.md")],
    ["LICENSE", readText("typescript/LICENSE")],
    ...modules,
    ...[...declareClientTypes()].map(([name, text]): [string, string] => [`dist/${name}`, text]),
  ];
  const entries = texts.map(([name, text]) => {
    const body = strToU8(text);
    return { header: { name: `package/${name}`, size: body.length, mtime: new Date(0), mode: 0o644 }, body };
  });
  return new Map([[`${CLIENT_PACKAGE}.tgz`, gzipSync(await packTar(entries), { level: 9 })]]);
}

/** Returns a value of the only table of `pyproject.toml` that has its key. */
const readProject = (key: string): string => new RegExp(`^${key} = "(.+)"$`, "m").exec(readText("python/pyproject.toml"))?.[1] ?? "";

/** Returns the wheel of the Python client, which contains no compiled code, so that it needs no build tool. */
function packWheel(): Files {
  const [version, name] = [readProject("version"), CLIENT_PACKAGE.replaceAll("-", "_")];
  const info = `${name}-${version}.dist-info`;
  const metadata = [
    ...["Metadata-Version: 2.4", `Name: ${CLIENT_PACKAGE}`, `Version: ${version}`, `Summary: ${readProject("description")}`],
    ...[`License-Expression: ${readProject("license")}`, "License-File: LICENSE", `Requires-Python: ${readProject("requires-python")}`],
    ...["Description-Content-Type: text/markdown", "", readText("python/README.md")],
  ];
  const files: Files = new Map([
    ...list("python/svc", /\.py$|^py\.typed$/).map((file) => [`svc/${file}`, read("python/svc", file)] as const),
    [`${info}/METADATA`, strToU8(metadata.join("\n"))],
    [`${info}/WHEEL`, strToU8("Wheel-Version: 1.0\nGenerator: svc\nRoot-Is-Purelib: true\nTag: py3-none-any\n")],
    [`${info}/licenses/LICENSE`, read("python/LICENSE")],
  ]);
  const record = [...files].map(([file, content]) => `${file},sha256=${digest(content, "base64url")},${content.length}\n`);
  files.set(`${info}/RECORD`, strToU8(`${record.join("")}${info}/RECORD,,\n`));
  return new Map([[`${name}-${version}-py3-none-any.whl`, zip(files)]]);
}

/**
 * Returns the Go module as a module proxy serves it. Go refuses other bytes under a known version, so the version contains a digest of the
 * sources.
 */
function packGoModule(): Files {
  const sources = ["go.mod", "LICENSE", "README.md", ...list("go", /(?<!_test)\.go$/)].map((name) => [name, read("go", name)] as const);
  const contents = sources.map(([name, content]) => `${name} ${digest(content, "hex")}\n`).join("");
  const { version: released } = JSON.parse(readText("typescript/package.json")) as { version: string };
  const version = `v${released}-${digest(strToU8(contents), "hex").slice(0, 12)}`;
  const info = strToU8(JSON.stringify({ Version: version, Time: "1980-01-01T00:00:00Z" }));
  const folder = `go/${CLIENT_MODULE}`;
  return new Map([
    [`${folder}/@latest`, info],
    [`${folder}/@v/list`, strToU8(`${version}\n`)],
    [`${folder}/@v/${version}.info`, info],
    [`${folder}/@v/${version}.mod`, read("go/go.mod")],
    [`${folder}/@v/${version}.zip`, zip(new Map(sources.map(([name, content]) => [`${CLIENT_MODULE}@${version}/${name}`, content])))],
  ]);
}

const digest = (content: Uint8Array, encoding: "hex" | "base64url"): string => createHash("sha256").update(content).digest(encoding);

function zip(files: Files): Uint8Array {
  const entries: Zippable = Object.fromEntries([...files].map(([name, content]) => [name, [content, { mtime: TIME }]]));
  return zipSync(entries, { level: 9 });
}
