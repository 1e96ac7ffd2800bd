import { type Command, Option } from "commander";
import { runnerLanguages } from "../../contract/languages.ts";
import { triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import type { Context } from "../context.ts";
import { objectKinds } from "../objects/kinds.ts";
import { type Action, run } from "./action.ts";

type ObjectAction = "listObjects" | "getObject" | "showObject" | "listHistory" | "deleteObject" | "setEnabled";

/** Adds the commands that read, save and delete single objects of a workspace. */
export function addObjectCommands(program: Command): void {
  const load = (name: ObjectAction, kind: string) => async () => {
    const commands = await import("../commands/items/objects.ts");
    const command: (context: Context, kind: string, ...args: never[]) => unknown = commands[name];
    // The command declares the other arguments, which no type connects with the parameters of the action.
    return ((context, ...args) => command(context, kind, ...args)) as Action;
  };
  for (const { name, plural, archive, history } of objectKinds) {
    const one = `${/^[aeiou]/.test(name) ? "an" : "a"} ${name.replace("-", " ")}`;
    const withKind = (command: Command): Command =>
      name === "trigger"
        ? command.addOption(new Option("--kind <kind>", "kind of trigger").choices(triggerKinds).default("http"))
        : command;
    const group =
      program.commands.find((command) => command.name() === name) ?? program.command(name).description(`Read and change ${plural}.`);
    const list = withKind(group.command("list").description(`List ${plural}.`));
    run(list.option("--path-start <text>", "only paths that begin like this"), "read", load("listObjects", name));
    const get = withKind(group.command("get").description(`Print ${one} as JSON.`).argument("<path>"));
    if (name === "variable") get.option("--show-secret", "print the value of a secret");
    run(get, "read", load("getObject", name));
    if (history) {
      const shown = name === "script" ? "the source of a script" : `${one} as YAML`;
      run(group.command("show").description(`Print ${shown}.`).argument("<path>"), "read", load("showObject", name));
      run(group.command("history").description(`List the versions of ${one}.`).argument("<path>"), "read", load("listHistory", name));
    }
    if (name === "script" || name === "flow") addRollbackCommand(group, name);
    if (name === "variable") addSetCommand(group);
    if (Object.hasOwn(writers, name)) addNewCommand(group, name);
    run(
      group
        .command("push")
        .description(`Save ${one} from its file of the project.`)
        .argument("<file>", `a file of the ${name.replace("-", " ")}`),
      "change",
      loadPush(name),
    );
    const remove = group.command(archive ? "archive" : "delete").description(`${archive ? "Archive" : "Delete"} ${one}.`);
    run(withKind(remove.argument("<path>")), "change", load("deleteObject", name));
    if (name !== "schedule") continue;
    for (const state of ["enable", "disable"]) {
      run(
        group
          .command(state)
          .description(`Turn a schedule ${state === "enable" ? "on" : "off"}.`)
          .argument("<path>"),
        "change",
        load("setEnabled", state),
      );
    }
  }
}

function addRollbackCommand(group: Command, name: "script" | "flow"): void {
  run(
    group
      .command("rollback")
      .description(`Save an earlier version of a ${name} as its newest version.`)
      .argument("<path>")
      .argument("<version>", `a version that svc ${name} history lists`),
    "change",
    loadRollback(name),
  );
}

const loadRollback = (name: "script" | "flow") => async () => {
  const { rollback } = await import("../commands/items/rollback.ts");
  return ((context, path: string, version: string) => rollback(context, name, path, version)) as Action;
};

function addSetCommand(group: Command): void {
  run(
    group
      .command("set")
      .description("Set the value of a variable from standard input. A new variable is a secret.")
      .argument("<path>")
      .option("--no-secret", "store the value of a new variable as plain text")
      .option("--description <text>", "description of a new variable"),
    "change",
    async () => (await import("../commands/items/set-variable.ts")).setVariable as Action,
  );
}

const writers = { script: "newScript", flow: "newFlow", app: "newApp", folder: "newFolder" } as const;

const loadPush = (kind: string) => async () => {
  const { pushFile } = await import("../commands/items/push-file.ts");
  return ((context, file: string) => pushFile(context, kind, file)) as Action;
};

/** Adds the command that writes the files of a new item to the project. The workspace is not changed. */
function addNewCommand(group: Command, name: string): void {
  const command = group
    .command("new")
    .description(`Write the files of a new ${name} to the project.`)
    .argument(name === "folder" ? "<name>" : "<path>");
  if (name === "script") {
    command.addOption(new Option("-l, --language <language>", "language of the script").choices(runnerLanguages).default("bun"));
  }
  command.option("--summary <text>", "summary");
  run(
    command,
    name === "folder" ? "read" : "local",
    async () => (await import("../commands/items/new.ts"))[writers[name as keyof typeof writers]] as Action,
  );
}
