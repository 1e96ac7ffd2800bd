import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { toConfigJsonSchema } from "../core/sync/config.ts";

const here = dirname(fileURLToPath(import.meta.url));

/** Bundles the command line to one file and writes the JSON Schema of `svc.yaml`, below `out`. */
export function buildCli(out: string): void {
  const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8")) as { version: string };
  buildSync({
    absWorkingDir: dirname(here),
    entryPoints: ["cli/main.ts"],
    outfile: join(out, "dist/svc.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22.14",
    mainFields: ["module", "main"],
    // esbuild has a program of its own for each platform, so it stays a package.
    external: ["esbuild"],
    define: { SVC_CLI_VERSION: JSON.stringify(version) },
    banner: {
      js: '#!/usr/bin/env node\nimport{createRequire as svcCreateRequire}from"node:module";const require=svcCreateRequire(import.meta.url);',
    },
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "svc.schema.json"), `${JSON.stringify(toConfigJsonSchema(), undefined, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildCli(here);
