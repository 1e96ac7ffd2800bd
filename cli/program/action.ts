import type { Command } from "commander";
import { Context } from "../context.ts";

/** Connects a command with the function that executes it. The function is loaded when the command runs, and may return the exit code. */
export type Action = (context: Context, ...args: never[]) => unknown;

/**
 * The effect of a command. `change`: it changes the workspace or the service, changes files from their content, or plans such changes, so it
 * prints its target before any question or call. `read`: it only reads from the service. `local`: it has no target, or its arguments name it.
 */
export type Effect = "change" | "read" | "local";

const effects = new WeakMap<Command, Effect>();

/** Returns the effect of a command that is connected with an action. */
export const effectOf = (command: Command): Effect | undefined => effects.get(command);

export function run(command: Command, effect: Effect, load: () => Promise<Action>): Command {
  effects.set(command, effect);
  return command.action(async (...args: unknown[]) => {
    // commander adds the flags and the command itself to the arguments.
    const actionArguments = args.slice(0, -1);
    const action = await load();
    // commander passes what the command declares, which no type connects with the parameters of the action.
    const code = await action(new Context(args.at(-1) as Command, { namesTarget: effect === "change" }), ...(actionArguments as never[]));
    if (typeof code === "number") process.exitCode = code;
  });
}
