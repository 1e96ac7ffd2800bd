import { Command } from "commander";
import { exitCodes } from "../errors.ts";
import { writeData, writeMessage } from "../output/terminal.ts";
import { version } from "../version.ts";
import { type Action, run } from "./action.ts";
import { addApprovalCommands } from "./approval-commands.ts";
import { addDevCommands } from "./dev-commands.ts";
import { addObjectCommands } from "./object-commands.ts";
import { addProjectCommands } from "./project-commands.ts";
import { addRunCommands } from "./run-commands.ts";
import { addSyncOptions } from "./sync-options.ts";
import { addToolCommands } from "./tool-commands.ts";

function addSyncCommands(program: Command): void {
  const sync = program.command("sync").description("Synchronise the workspace with files.");
  const load = (name: "runPull" | "runPush" | "runPlan") => async () => (await import("../commands/sync/sync.ts"))[name] as Action;
  const withOptions = (name: string, description: string) => addSyncOptions(sync.command(name).description(description));
  run(
    withOptions("pull", "Change the files here as the workspace has changed.")
      .option("--dry-run", "show what would change")
      .option("--force", "make the files equal to the workspace, also where they changed here"),
    "change",
    load("runPull"),
  );
  run(
    withOptions("push", "Change the workspace as the files here have changed.")
      .option("--dry-run", "show what would change")
      .option("--bundle", "with --dry-run: also compare bundles, which may execute a program of the project")
      .option("--force", "make the workspace equal to the files, also where it changed there")
      .option("--prune-secrets", "delete variables and resources that have no file")
      .option("--auto-metadata", "generate stale metadata first, as `svc generate-metadata` does")
      .option("--wait", "wait for the builds of scripts and flows")
      .option("--plan <file>", "apply exactly this plan"),
    "change",
    load("runPush"),
  );
  run(
    withOptions("plan", "Show what a push would change.")
      .option("--bundle", "also compare bundles, which may execute a program of the project")
      .option("--force", "plan as `push --force` would")
      .option("--prune-secrets", "plan the deletion of variables and resources that have no file")
      .option("-o, --output <file>", "write the plan to a file")
      .option("--exit-code", `exit with ${exitCodes.changes} if something would change`),
    "change",
    load("runPlan"),
  );
  run(
    withOptions("undo", "Undo the last push where nothing has changed since.").option("--dry-run", "show what would change"),
    "change",
    async () => (await import("../commands/sync/undo.ts")).runUndo as Action,
  );
}

function addWorkspaceCommands(program: Command): void {
  const load =
    (name: "addWorkspace" | "listWorkspaces" | "switchWorkspace" | "removeWorkspace" | "showWhoami" | "listRemoteWorkspaces") => async () =>
      (await import("../commands/account/workspace.ts"))[name] as Action;
  const workspace = program.command("workspace").description("Profiles: a workspace of a service, with a token.");
  run(
    workspace
      .command("add")
      .description("Add a profile for a workspace.")
      .argument("<name>", "name of the profile")
      .argument("[id]", "id of the workspace; default: the name")
      .argument("[url]", "address of the service")
      .option("--create", "create the workspace if it does not exist"),
    "local",
    load("addWorkspace"),
  );
  run(workspace.command("list").description("List the profiles."), "local", load("listWorkspaces"));
  run(workspace.command("switch").description("Make a profile the active one.").argument("[name]"), "local", load("switchWorkspace"));
  run(workspace.command("remove").description("Remove a profile.").argument("<name>"), "local", load("removeWorkspace"));
  run(workspace.command("whoami").description("Show the user and the target of commands."), "read", load("showWhoami"));
  run(workspace.command("list-remote").description("List your workspaces at the service."), "read", load("listRemoteWorkspaces"));
  const loadLogin = (name: "login" | "logout") => async () => (await import("../commands/account/login.ts"))[name] as Action;
  run(
    program
      .command("login")
      .description("Log in at a service: confirm a code in the browser, or pass a token.")
      .argument("<url>", "address of the service")
      .option("--with-token", "read a token from standard input")
      .option("--name <profile>", "name of the profile; default: the workspace"),
    "local",
    loadLogin("login"),
  );
  run(program.command("logout").description("Revoke the token and remove the profile."), "change", loadLogin("logout"));
  run(
    program.command("init").description("Write svc.yaml for the current workspace.").option("--force", "replace an existing file"),
    "local",
    async () => (await import("../commands/project/init.ts")).init as Action,
  );
}

/** Creates the program with all its commands. The code of a command is loaded when it runs. */
export function createProgram(): Command {
  const program = new Command("svc")
    .description("The command line of svc: a workspace as files, runs with a live log, and local development.")
    .version(version)
    .option("--url <url>", "address of the service")
    .option("--token <token>", "token; prefer a profile or SVC_TOKEN, because other users see arguments")
    .option("--workspace <name>", "workspace of svc.yaml, profile, or id of a workspace")
    .option("--json", "print data as JSON")
    .option("--yes", "answer every question with yes")
    .option("--verbose", "show requests and details")
    .configureOutput({ writeOut: writeData, writeErr: writeMessage })
    .showSuggestionAfterError()
    .exitOverride();
  addSyncCommands(program);
  addWorkspaceCommands(program);
  addRunCommands(program);
  addApprovalCommands(program);
  addDevCommands(program);
  addObjectCommands(program);
  addProjectCommands(program);
  addToolCommands(program);
  // Every command reports wrong usage with the same exit code.
  const override = (command: Command): void => {
    command.exitOverride();
    for (const inner of command.commands) override(inner);
  };
  override(program);
  return program;
}
