import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { packTar } from "modern-tar";
import { declareClientTypes, packClients } from "../clients/pack.ts";
import { MODULE_REQUIRE } from "../contract/utilities/module-require.ts";
import { toConfigJsonSchema } from "../core/sync/config/config.ts";

const here = dirname(fileURLToPath(import.meta.url));

/**
 * The file of the command in its package, and the file with everything else. Node parses a whole file before it runs, so the code for `--version`
 * is separate.
 */
const COMMAND = "dist/svc.mjs";
const PROGRAM = "dist/program.mjs";
const SCHEMA = "svc.schema.json";
/** The client library, which scripts import without installing it: for bundles of codebases, and for editors. */
const CLIENT = "dist/client";
const CLIENT_SOURCES = "clients/typescript/src";

/** Bundles the command line and writes the JSON Schema of `svc.yaml`, below `out`. Returns the bundled sources. */
export function buildCli(out: string): string[] {
  const program = bundle("cli/execute.ts", join(out, PROGRAM), { banner: MODULE_REQUIRE });
  const command = join(out, COMMAND);
  const sources = bundle("cli/main.ts", command, { banner: "#!/usr/bin/env node", external: ENTRY });
  writeFileSync(command, readFileSync(command, "utf8").replace(ENTRY, `./${basename(PROGRAM)}`));
  buildClient(join(out, CLIENT));
  writeFileSync(join(out, SCHEMA), `${JSON.stringify(toConfigJsonSchema(), undefined, 2)}\n`);
  return [...new Set([...program, ...sources])];
}

/** The import of the program by the command. */
const ENTRY = "./execute.ts";

/** Returns the bundled sources. */
function bundle(entry: string, outfile: string, { banner, external }: { banner: string; external?: string }): string[] {
  const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8")) as { version: string };
  const { metafile } = buildSync({
    absWorkingDir: dirname(here),
    entryPoints: [entry],
    outfile,
    bundle: true,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node22.14",
    mainFields: ["module", "main"],
    // esbuild has a separate program for each platform, so it stays a package.
    external: ["esbuild", ...(external === undefined ? [] : [external])],
    define: { SVC_CLI_VERSION: JSON.stringify(version) },
    banner: { js: banner },
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  return Object.keys(metafile.inputs);
}

/** Writes the client library as one module, and the declarations of its types. */
function buildClient(folder: string): void {
  const root = dirname(here);
  buildSync({
    absWorkingDir: root,
    entryPoints: [`${CLIENT_SOURCES}/index.ts`],
    outfile: join(folder, "index.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2024",
    legalComments: "none",
    logLevel: "warning",
  });
  for (const [name, text] of declareClientTypes()) writeFileSync(join(folder, name), text);
}

/** Builds the package as `npm pack` does, below `out`: `svc-cli.tgz` and the schema. Equal sources produce equal bytes. */
export async function packCli(out: string): Promise<void> {
  buildCli(out);
  const sources = new Map([
    ["package.json", here],
    ["README.md", here],
    ["LICENSE", dirname(here)],
    [COMMAND, out],
    [PROGRAM, out],
    [SCHEMA, out],
    ...readdirSync(join(out, CLIENT))
      .sort()
      .map((name) => [`${CLIENT}/${name}`, out] as const),
  ]);
  const entries = [...sources].map(([name, folder]) => {
    const body = readFileSync(join(folder, name));
    return { header: { name: `package/${name}`, size: body.length, mtime: new Date(0), mode: name === COMMAND ? 0o755 : 0o644 }, body };
  });
  writeFileSync(join(out, "svc-cli.tgz"), gzipSync(await packTar(entries), { level: 9 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , out] = process.argv;
  if (out === undefined) buildCli(here);
  else {
    await packCli(out);
    await packClients(join(out, "clients"));
  }
}
