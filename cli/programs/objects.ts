import type { Command } from "commander";

/** Adds the commands for variables, resources, folders and the other objects of a workspace. */
export function addObjectCommands(_program: Command): void {}
