import { readOptions } from "../launch/commands.mjs";
import { explain } from "../launch/complaint.mjs";
import { inPhase } from "../launch/progress.mjs";
import { pauseWriter, readWriters } from "./pause/deployed-writers.ts";

/** Stops all functions that can write to the tables. An interrupted call leaves some of them running, and the next call stops those too. */
async function pause(): Promise<void> {
  const { stack = "svc" } = readOptions("aws-pause").texts;
  const writers = await readWriters(stack);
  await inPhase("pause", `${writers.length} functions that can write to the tables of ${stack}`, async () => {
    for (const writer of writers) await pauseWriter(writer);
  });
  const longestS = Math.max(...writers.map(({ timeoutS }) => timeoutS));
  process.stderr.write(
    `Calls that are running continue: the last of them ends within ${Math.ceil(longestS / 60)} minutes. Continue later with npm run aws:resume -- --stack ${stack}\n`,
  );
}

try {
  await pause();
} catch (error) {
  process.exitCode = explain(error);
}
