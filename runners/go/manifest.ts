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
  exactArguments: true,
  preprocessor: false,
  smokeTest: {
    content: 'package inner\n\nimport "fmt"\n\nfunc main(a int, b int) (int, error) {\n\tfmt.Println("adding")\n\treturn a + b, nil\n}\n',
    output: "adding",
    result: 42,
  },
} as const satisfies RunnerManifest;
