import type { Command } from "commander";
import { Context } from "../context.ts";

/** Connects a command with the function that executes it, which is loaded then. The function may return the exit code. */
export type Action = (context: Context, ...args: never[]) => unknown;

export function run(command: Command, load: () => Promise<Action>): Command {
  return command.action(async (...args: unknown[]) => {
    // commander adds the flags and the command itself to the arguments.
    const own = args.slice(0, -1);
    const action = await load();
    const code = await action(new Context(args.at(-1) as Command), ...(own as never[]));
    if (typeof code === "number") process.exitCode = code;
  });
}
