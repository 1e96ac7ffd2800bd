import type { Interpreter, RunnerManifest } from "../manifest.ts";

const interpreter: Interpreter = {
  name: "deno",
  packages: {
    "linux-x64": "@deno/linux-x64-glibc",
    "linux-arm64": "@deno/linux-arm64-glibc",
    "darwin-x64": "@deno/darwin-x64",
    "darwin-arm64": "@deno/darwin-arm64",
  },
  file: "deno",
  // npm has this version for both processors. The checkout's own Deno may be newer.
  version: "2.9.5",
};

export const deno = {
  id: "deno",
  aliases: [],
  directives: [],
  extension: "ts",
  function: { runtime: "node", tools: [interpreter] },
  build: "javascript",
  imports: "javascript",
  signature: "typescript",
  entryFile: "main.mjs",
  wrapper: "in-process",
  preprocessor: true,
  builtins: { bun: false, needsNodePrefix: true },
  smokeTest: {
    content: 'export function main(a: number, b: number) {\n  console.log("adding");\n  return a + b;\n}\n',
    output: "adding",
    result: 42,
  },
} as const satisfies RunnerManifest;
