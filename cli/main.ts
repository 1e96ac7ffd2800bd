import { enableCompileCache } from "node:module";
import { version } from "./version.ts";

async function main(): Promise<void> {
  // Scripts ask for the version often, and it needs none of the rest.
  if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-V")) {
    process.stdout.write(`${version}\n`);
    return;
  }
  enableCompileCache();
  const { execute } = await import("./execute.ts");
  await execute();
}

await main();
