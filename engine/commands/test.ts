import { installTools } from "../launch/tools.ts";
import { root } from "../paths.ts";
import { runTests } from "./test/second-run.ts";

/** `npm test` runs all tests. Arguments are passed to vitest, so `npm test -- core/jobs` runs the matching tests. */
await installTools();
const args = process.argv.slice(2);
process.exitCode = await runTests({ root, args: args.filter((arg) => arg !== "--strict"), isStrict: args.includes("--strict") });
