import { setTimeout as sleep } from "node:timers/promises";
import { ResourceInUseException } from "@aws-sdk/client-lambda";

const POLL_MS = 2_000;
const POLLS = 60;

/** Changes an event source mapping. It accepts no second change until the first one has taken effect, which takes some seconds. */
export async function whileInUse(change: () => Promise<unknown>): Promise<void> {
  for (let poll = 0; ; poll++) {
    try {
      await change();
      return;
    } catch (error) {
      if (!(error instanceof ResourceInUseException) || poll >= POLLS) throw error;
      await sleep(POLL_MS);
    }
  }
}
