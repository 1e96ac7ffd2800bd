import type { RunnerManifest } from "../manifest.ts";

export const nodejs = {
  id: "nodejs",
  aliases: ["nativets"],
  directives: [{ language: "bun", content: /^\/\/\s*nodejs\b/ }],
  extension: "ts",
  function: { runtime: "node", tools: [] },
  build: "javascript",
  imports: "javascript",
  signature: "typescript",
  entryFile: "main.mjs",
  wrapper: "in-process",
  preprocessor: true,
  builtins: { bun: false, needsNodePrefix: false },
  smokeTest: {
    content: 'export function main(a: number, b: number) {\n  console.log("adding");\n  return a + b;\n}\n',
    output: "adding",
    result: 42,
  },
} as const satisfies RunnerManifest;
