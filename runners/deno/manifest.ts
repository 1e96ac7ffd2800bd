import type { RunnerManifest } from "../manifest.ts";

export const deno = {
  id: "deno",
  aliases: [],
  directives: [],
  extension: "ts",
  function: { runtime: "node", tools: ["deno"] },
  build: "javascript",
  imports: "javascript",
  signature: "typescript",
  entryFile: "main.mjs",
  wrapper: "in-process",
  preprocessor: true,
} as const satisfies RunnerManifest;
