import { onStopSignal } from "../engine/commands/signals.ts";
import { startInstance } from "../engine/engine/instance.ts";
import { createAdmin } from "../engine/seed/admin.ts";
import { seedExamples } from "../engine/seed/seed.ts";

/**
 * Runs the local set-up of `npm run up` in a separate process with separate state: engine, front server and examples. It sends its URL to
 * its parent, and ends with its channel.
 */
const dir = process.argv[2];
if (!dir) throw new Error("Say where the state goes.");

const instance = await startInstance({ dir });
const stop = async () => {
  await instance.stop();
  process.exit(0);
};
onStopSignal(() => void stop(), stop);
process.once("disconnect", () => void stop());

const { url, endpoint, outputs } = instance;
const workspace = { id: "bench", name: "Benchmark" };
const account = await createAdmin({
  endpoint,
  setupFunction: outputs["SetupFunction"],
  email: "bench@example.com",
  workspace,
  tokenLabel: "bench",
});
await seedExamples({ url, ...account }, { name: "you" });
await instance.save();
process.send?.({ url, endpoint, outputs, workspace: workspace.id, token: account.token });
