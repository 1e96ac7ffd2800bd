import { readOptions } from "../launch/commands.mjs";
import { explain } from "../launch/complaint.mjs";
import { inPhase } from "../launch/progress.mjs";
import { readWriters, resumeWriter } from "./pause/deployed-writers.ts";

/**
 * Restores the reservation of every writer from the stack's template, which is the only record of it. A second call therefore repairs an
 * interrupted one.
 */
async function resume(): Promise<void> {
  const { stack = "svc" } = readOptions("aws-resume").texts;
  const writers = await readWriters(stack);
  await inPhase("resume", `${writers.length} functions of ${stack}`, async () => {
    for (const writer of writers) await resumeWriter(writer);
  });
}

try {
  await resume();
} catch (error) {
  process.exitCode = explain(error);
}
