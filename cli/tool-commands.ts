import { Argument, type Command, InvalidArgumentError } from "commander";
import { type Action, run } from "./action.ts";
import { createCompletion, type Shell, shells } from "./completion.ts";

/** Adds the commands for tokens and for shells. */
export function addToolCommands(program: Command): void {
  const load = (name: "listTokens" | "createToken" | "deleteToken") => async () => (await import("./commands/tokens.ts"))[name] as Action;
  const token = program.command("token").description("Your tokens.");
  run(token.command("list").description("List your tokens without their values."), load("listTokens"));
  run(
    token
      .command("create")
      .description("Create a token for the workspace and print it.")
      .option("--label <text>", "name of the token")
      .option("--expires-in <days>", "days until it expires", parseDays)
      .option("--scopes <scopes...>", "scopes, such as jobs:run:scripts:f/ops/greet")
      .option("--read-only", "the token can change nothing"),
    load("createToken"),
  );
  run(token.command("delete").description("Delete a token.").argument("<prefix>", "the beginning of the token"), load("deleteToken"));
  const shell = new Argument("<shell>").choices(shells);
  run(program.command("completion").description("Print a script that completes commands in a shell.").addArgument(shell), async () => {
    return ((context, name: Shell) => context.output.data(createCompletion(program, name), createCompletion(program, name))) as Action;
  });
  run(
    program.command("lint").description("Check the files of the project. Nothing is called."),
    async () => (await import("./commands/lint.ts")).lint as Action,
  );
}

function parseDays(text: string): number {
  const days = Number(text);
  if (!(days > 0 && days <= 3650)) throw new InvalidArgumentError("It must be a number of days above 0.");
  return days;
}
