import type { Command } from "commander";

/** Adds the commands for scripts, flows, apps and jobs. */
export function addRunnableCommands(_program: Command): void {}
