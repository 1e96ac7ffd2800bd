import type { Context } from "../../context.ts";
import { CommandError, exitCodes } from "../../errors.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The request of a person, or of a CI system, to stop a command between two of its steps. */
export interface StopWatch {
  /** Throws `CommandError` if a stop was requested. */
  check(): void;
  /** Restores the usual effect of the signals. */
  end(): void;
}

/** Catches the first signal that would end the process, so that requests in progress can end. A second one ends the process. */
export function watchStop({ output }: Context): StopWatch {
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    end();
    output.say("Stopping after the requests that are under way. Press Ctrl-C again to stop at once.");
  };
  const end = () => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return {
    check() {
      if (isStopped) throw new CommandError("The command was interrupted.", { exitCode: exitCodes.interrupted });
    },
    end,
  };
}
