import type { RunnerManifest } from "../manifest.ts";

export const go = {
  id: "go",
  aliases: [],
  directives: [],
  extension: "go",
  function: { runtime: "node", tools: [] },
  build: "go",
  imports: "none",
  signature: "go",
  entryFile: "main",
  wrapper: "program",
  preprocessor: false,
} as const satisfies RunnerManifest;
