import type { RunnerManifest } from "../manifest.ts";

export const python3 = {
  id: "python3",
  aliases: [],
  directives: [],
  extension: "py",
  function: { runtime: "python", tools: [] },
  build: "python",
  imports: "python",
  signature: "python",
  entryFile: undefined,
  wrapper: "in-process",
  preprocessor: true,
} as const satisfies RunnerManifest;
