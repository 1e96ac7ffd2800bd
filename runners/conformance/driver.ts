/* This program replaces the local engine's warm worker of a supervisor that Node hosts. It reads and writes lines of JSON; the handler's output goes to stderr. */
import { createInterface } from "node:readline";
import type { RunOutcome, RunRequest } from "../protocol.ts";

console.log = console.error;
const { handler } = (await import(`../${process.argv[2]}/handler.ts`)) as { handler: (request: RunRequest) => Promise<RunOutcome> };
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await handler(JSON.parse(line) as RunRequest))}\n`);
}
process.exit();
