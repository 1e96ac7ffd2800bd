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
  smokeTest: {
    content: 'def main(a: int, b: int):\n    print("adding")\n    return a + b\n',
    output: "adding",
    result: 42,
  },
} as const satisfies RunnerManifest;
