import { CommandError, exitCodes, UsageError } from "../errors.ts";
import { canAsk, cleanLine, questionStream } from "./terminal.ts";

/** Asks for a confirmation. Without a terminal, `--yes` is required. */
export async function confirm(message: string, { yes }: { yes: boolean }): Promise<boolean> {
  if (yes) return true;
  if (!canAsk()) throw new UsageError(`${message} Add --yes to confirm, because there is no terminal.`);
  const prompts = await import("@clack/prompts");
  return requireAnswer(await prompts.confirm({ message: cleanLine(message), output: questionStream() }), prompts.isCancel);
}

/** Throws `CommandError` unless a person or `--yes` confirms. */
export async function requireConfirmation(message: string, flags: { yes: boolean }): Promise<void> {
  if (!(await confirm(message, flags))) throw new CommandError("Canceled. Nothing was changed.");
}

export async function askChoice(message: string, choices: readonly { value: string; label: string }[]): Promise<string> {
  if (!canAsk()) throw new UsageError(`${message} is missing, and there is no terminal to ask for it.`);
  const prompts = await import("@clack/prompts");
  const options = choices.map(({ value, label }) => ({ value, label: cleanLine(label) }));
  return requireAnswer(await prompts.select({ message: cleanLine(message), options, output: questionStream() }), prompts.isCancel);
}

/** Reads a secret from standard input, on a terminal without showing it: arguments of commands are visible to other users. */
export async function readSecret(name: string): Promise<string> {
  if (canAsk()) {
    const prompts = await import("@clack/prompts");
    return requireAnswer(await prompts.password({ message: cleanLine(`The ${name}:`), output: questionStream() }), prompts.isCancel);
  }
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
  // Removes the final newline of a file or of echo.
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") throw new UsageError(`Standard input has no ${name}.`);
  return secret;
}

function requireAnswer<T>(answer: T, isCancel: (value: unknown) => boolean): Exclude<T, symbol> {
  if (isCancel(answer)) throw new CommandError("Canceled.", { exitCode: exitCodes.interrupted });
  return answer as Exclude<T, symbol>;
}
