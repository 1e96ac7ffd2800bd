import type { Context } from "../../context.ts";
import { CommandError, exitCodes } from "../../errors.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The wish of a person, or of a CI system, that a command stops between two of its steps. */
export interface StopWatch {
  /** Throws `CommandError` if the command is to stop. */
  check(): void;
  /** Restores the usual effect of the signals. */
  end(): void;
}

/** Watches for the first signal that would end the process, so that requests under way can end. A second one ends the process. */
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
