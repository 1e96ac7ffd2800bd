// Old releases have no compile cache: a named import would fail before the first line of this file runs.
import * as nodeModule from "node:module";
import { describeOldNode } from "./node-version.ts";
import { version } from "./version.ts";

async function main(): Promise<void> {
  const problem = describeOldNode(process.versions.node);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 2;
    return;
  }
  // Programs often request the version, which needs no other code.
  if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-V")) {
    process.stdout.write(`${version}\n`);
    return;
  }
  nodeModule.enableCompileCache();
  const { execute } = await import("./execute.ts");
  await execute();
}

await main();
