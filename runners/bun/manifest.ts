import type { Interpreter, RunnerManifest } from "../manifest.ts";

const interpreter: Interpreter = {
  name: "bun",
  packages: {
    "linux-x64": "@oven/bun-linux-x64",
    "linux-arm64": "@oven/bun-linux-aarch64",
    "darwin-x64": "@oven/bun-darwin-x64",
    "darwin-arm64": "@oven/bun-darwin-aarch64",
  },
  file: "bin/bun",
};

export const bun = {
  id: "bun",
  aliases: ["bunnative"],
  directives: [],
  extension: "ts",
  function: { runtime: "node", tools: [interpreter] },
  build: "javascript",
  imports: "javascript",
  signature: "typescript",
  entryFile: "main.mjs",
  wrapper: "in-process",
  preprocessor: true,
  builtins: { bun: true, needsNodePrefix: false },
  smokeTest: {
    content: 'export function main(a: number, b: number) {\n  console.log("adding");\n  return a + b;\n}\n',
    output: "adding",
    result: 42,
  },
} as const satisfies RunnerManifest;
