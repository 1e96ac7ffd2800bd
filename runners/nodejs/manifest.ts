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
} as const satisfies RunnerManifest;
