import { Argument, type Command, InvalidArgumentError } from "commander";
import { type Action, run } from "./action.ts";
import { createCompletion, type Shell, shells } from "./completion.ts";
import { parseWhole } from "./parse-whole.ts";

const COMPLETION_HELP = `
To complete commands in each new shell, run one of these once:
  bash  echo 'source <(svc completion bash)' >> ~/.bashrc
  zsh   echo 'source <(svc completion zsh)' >> ~/.zshrc
  fish  svc completion fish > ~/.config/fish/completions/svc.fish`;

/** Adds the commands for people, the audit log, shells and the project. */
export function addToolCommands(program: Command): void {
  const load = (name: "listTokens" | "createToken" | "deleteToken") => async () =>
    (await import("../commands/account/tokens.ts"))[name] as Action;
  const token = program.command("token").description("Your tokens.");
  run(token.command("list").description("List your tokens without their values."), "read", load("listTokens"));
  run(
    token
      .command("create")
      .description("Create a token for the workspace and print it.")
      .option("--label <text>", "name of the token")
      .option("--expires-in <days>", "days until it expires", parseDays)
      .option("--scopes <scopes...>", "scopes, such as jobs:run:scripts:f/ops/greet")
      .option("--read-only", "the token can change nothing"),
    "change",
    load("createToken"),
  );
  run(
    token.command("delete").description("Delete a token.").argument("<prefix>", "the beginning of the token"),
    "change",
    load("deleteToken"),
  );
  addUserCommands(program);
  addBackupCommands(program);
  addAuditCommands(program);
  const shell = new Argument("<shell>").choices(shells);
  const completion = program.command("completion").description("Print a script that completes commands in a shell.").addArgument(shell);
  completion.addHelpText("after", COMPLETION_HELP);
  run(completion, "local", async () => {
    return ((context, name: Shell) => context.output.data(createCompletion(program, name), createCompletion(program, name))) as Action;
  });
  run(
    program
      .command("lint")
      .description("Check the files of the project. Nothing is called, and nothing of the project is executed.")
      .option("--bundle", "also bundle the scripts of codebases, which may execute a program of the project"),
    "local",
    async () => (await import("../commands/project/lint.ts")).lint as Action,
  );
  run(
    program.command("doctor").description("Check what commands depend on: Node.js, the profile, the service, the token and the files."),
    "read",
    async () => (await import("../commands/project/doctor.ts")).runDoctor as Action,
  );
}

function addUserCommands(program: Command): void {
  const load = (name: "listUsers" | "addUser" | "removeUser") => async () => (await import("../commands/account/users.ts"))[name] as Action;
  const user = program.command("user").description("Members of the workspace, and users of the instance.");
  run(
    user.command("list").description("List the members of the workspace.").option("--all", "list the users of the instance"),
    "read",
    load("listUsers"),
  );
  run(
    user
      .command("add")
      .description("Create a user of the instance. You must be a superadmin.")
      .argument("<email>")
      .option("--name <text>", "full name")
      .option("--superadmin", "the user administers the instance")
      .option("--with-password", "read a password from standard input"),
    "change",
    load("addUser"),
  );
  run(
    user
      .command("remove")
      .description("Delete a user of the instance with all tokens and memberships. You must be a superadmin.")
      .argument("<email>"),
    "change",
    load("removeUser"),
  );
}

function addBackupCommands(program: Command): void {
  const load = (name: "backUp" | "restore") => async () => (await import("../commands/project/back-up.ts"))[name] as Action;
  run(
    program
      .command("backup")
      .description("Write the users, settings and workspaces of the instance to a new folder. You must be a superadmin.")
      .argument("<target>", "the folder, which must be empty or new")
      .option("--seal-for <file>", "public X25519 key (PEM) for which secret variables are encrypted; without it, they are left out")
      .option("--only <workspaces...>", "only these workspaces"),
    "change",
    load("backUp"),
  );
  run(
    program
      .command("restore")
      .description("Create or replace what a backup contains. Nothing is deleted. You must be a superadmin.")
      .argument("<backup>", "the folder of the backup")
      .option("--unseal-with <file>", "private X25519 key (PEM) that opens the secret variables; without it, they are left out"),
    "change",
    load("restore"),
  );
}

function addAuditCommands(program: Command): void {
  const load = (name: "listAudit" | "verifyAudit") => async () => (await import("../commands/audit.ts"))[name] as Action;
  const audit = program.command("audit").description("The audit log of the workspace, and the record of its approvals.");
  run(
    audit
      .command("list")
      .description("List audited operations, the newest first.")
      .option("--username <username>", "only operations of this user")
      .option("--operation <name>", "only operations of this name, such as variables.delete")
      .option("--resource <path>", "only operations on this path")
      .option("--after <time>", "only later operations", parseTime)
      .option("--before <time>", "only earlier operations", parseTime)
      .option("--limit <count>", "at most this many", parseWhole(1), 100),
    "read",
    load("listAudit"),
  );
  run(
    audit
      .command("verify")
      .description(
        "Read the record of approvals and compute it again. Exits with 1 if an entry was changed, and with 2 if the record cannot be read.",
      ),
    "read",
    load("verifyAudit"),
  );
}

function parseTime(text: string): string {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError("It must be a time such as 2030-01-31T12:00:00Z.");
  return new Date(ms).toISOString();
}

function parseDays(text: string): number {
  const days = Number(text);
  if (!(days > 0 && days <= 3650)) throw new InvalidArgumentError("It must be a number of days above 0.");
  return days;
}
