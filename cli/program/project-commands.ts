import type { Command } from "commander";
import type { SyncOptionName } from "../../core/sync/config/config.ts";
import { type Action, run } from "./action.ts";
import { addSyncOptions } from "./sync-options.ts";

/** The properties of `svc.yaml` on which metadata depends. */
const metadataOptions: SyncOptionName[] = [
  ...(["defaultTs", "includes", "extraIncludes", "excludes", "skipScripts", "skipFlows"] as const),
  ...(["parallel", "promotion", "skipBranchValidation", "nonDottedPaths"] as const),
];

/** Adds the commands that generate metadata, and those that synchronise only some files of a project. */
export function addProjectCommands(program: Command): void {
  const generate = program
    .command("generate-metadata")
    .description("Generate the schemas and locks of scripts and flows that have changed.")
    .argument("[paths...]", "scripts, flows or folders; default: all")
    .option("--lock-only", "generate only locks")
    .option("--schema-only", "generate only schemas; nothing is called")
    .option("--dry-run", "list the scripts and flows that are stale; nothing is called");
  run(
    addSyncOptions(generate, metadataOptions),
    "change",
    async () => (await import("../commands/project/generate-metadata.ts")).generateMetadata as Action,
  );

  const load = (name: "pushDependencies" | "pullSettings" | "pushSettings") => async () =>
    (await import("../commands/sync/workspace-files.ts"))[name] as Action;
  const withFlags = (command: Command): Command =>
    command.option("--dry-run", "show what would change").option("--force", "decide conflicts for the side that the command reads");
  const lists = program.command("dependencies").description("Lists of package versions.");
  const push = lists.command("push").description("Make the lists of the workspace equal to the files in `dependencies`.");
  run(withFlags(push.argument("[file]", "save only this file")), "change", load("pushDependencies"));
  const settings = program.command("settings").description("The settings of the workspace.");
  run(withFlags(settings.command("pull").description("Write the settings to settings.yaml.")), "change", load("pullSettings"));
  run(withFlags(settings.command("push").description("Change the settings as settings.yaml has changed.")), "change", load("pushSettings"));
}
