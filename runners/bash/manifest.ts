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
  exactArguments: true,
  preprocessor: false,
  smokeTest: { content: 'a="$1"\nb="$2"\necho "adding"\necho $((a + b))\n', output: "adding", result: "42" },
} as const satisfies RunnerManifest;
