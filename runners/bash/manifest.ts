import type { RunnerManifest } from "../manifest.ts";

export const bash = {
  id: "bash",
  aliases: [],
  directives: [],
  extension: "sh",
  function: { runtime: "node", tools: [] },
  build: "file",
  imports: "none",
  signature: "bash",
  entryFile: "main.sh",
  wrapper: "program",
  preprocessor: false,
} as const satisfies RunnerManifest;
