import type { ApiClient } from "../api/client.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../errors.ts";
import { confirm } from "../output/prompts.ts";
import { canAsk } from "../output/terminal.ts";

/** Asks on Ctrl-C whether to cancel the job. Without a terminal, the job continues. Returns the function that stops the watch. */
export function watchInterrupts(context: Context, client: ApiClient, id: string): () => void {
  let asked = false;
  const interrupt = async (): Promise<void> => {
    if (asked || !canAsk()) {
      context.output.say(`The job ${id} continues.`);
      process.exit(exitCodes.interrupted);
    }
    asked = true;
    if (await confirm(`Cancel the job ${id}?`, { yes: false })) await client.call.jobs.cancel({ id, body: {} });
    process.exit(exitCodes.interrupted);
  };
  const listener = () => void interrupt().catch((error: unknown) => context.output.say(String(error)));
  process.on("SIGINT", listener);
  return () => process.off("SIGINT", listener);
}
