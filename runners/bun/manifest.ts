import type { RunnerManifest } from "../manifest.ts";

export const bun = {
  id: "bun",
  aliases: ["bunnative"],
  directives: [],
  extension: "ts",
  function: { runtime: "node", tools: ["bun"] },
  build: "javascript",
  imports: "javascript",
  signature: "typescript",
  entryFile: "main.mjs",
  wrapper: "in-process",
  preprocessor: true,
} as const satisfies RunnerManifest;
