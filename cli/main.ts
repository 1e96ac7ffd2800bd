import { enableCompileCache } from "node:module";

declare const SVC_CLI_VERSION: string;

/** The version of the package, which the build defines. */
const version = typeof SVC_CLI_VERSION === "string" ? SVC_CLI_VERSION : "0.0.0-source";

async function main(): Promise<void> {
  // Scripts ask for the version often, and it needs none of the rest.
  if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-V")) {
    process.stdout.write(`${version}\n`);
    return;
  }
  enableCompileCache();
  process.env["SVC_CLI_VERSION"] = version;
  const { execute } = await import("./execute.ts");
  await execute(version);
}

await main();
