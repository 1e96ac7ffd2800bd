import type { Command } from "commander";
import { Context } from "../context.ts";

/** Connects a command with the function that executes it, which is loaded then. The function may return the exit code. */
export type Action = (context: Context, ...args: never[]) => unknown;

/**
 * The effect of a command. `change`: it changes the workspace or the service, or files by what it reads there, or plans that, so it names its target before it asks or calls anything. `read`: it reads
 * there. `local`: it has no target, or its arguments name it.
 */
export type Effect = "change" | "read" | "local";

const effects = new WeakMap<Command, Effect>();

/** Returns the effect of a command that an action is connected with. */
export const effectOf = (command: Command): Effect | undefined => effects.get(command);

export function run(command: Command, effect: Effect, load: () => Promise<Action>): Command {
  effects.set(command, effect);
  return command.action(async (...args: unknown[]) => {
    // commander adds the flags and the command itself to the arguments.
    const own = args.slice(0, -1);
    const action = await load();
    const code = await action(new Context(args.at(-1) as Command, { namesTarget: effect === "change" }), ...(own as never[]));
    if (typeof code === "number") process.exitCode = code;
  });
}
