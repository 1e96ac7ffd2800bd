import type { Command } from "commander";
import { type Action, run } from "./action.ts";

/** Adds the command that previews scripts and flows while their files are edited. */
export function addDevCommands(program: Command): void {
  run(
    program
      .command("dev")
      .description("Run a script or flow when a file of it is saved, with the arguments of <file>.args.json, and write types for editors."),
    "change",
    async () => (await import("../commands/jobs/dev.ts")).dev as Action,
  );
}
