import { existsSync } from "node:fs";
import path from "node:path";
import { runCommand } from "../commands/command.ts";
import { localBin, root } from "../paths.ts";

/**
 * Sets up the pre-commit hook of lefthook.yml in a contributor's checkout. Here rather than in an install script, so that installing
 * packages runs no code; not in CI, and not with `git config svc.hooks false` or LEFTHOOK=0.
 */
export async function installHooks(): Promise<void> {
  const unwanted = process.env["CI"] || process.env["LEFTHOOK"] === "0" || process.env["LEFTHOOK"] === "false";
  if (unwanted || !existsSync(path.join(root, ".git"))) return;
  const setting = await runCommand("git", ["config", "--get", "svc.hooks"], { cwd: root });
  if (setting.output.trim() === "false") return;
  const hooks = await runCommand("git", ["rev-parse", "--git-path", "hooks/pre-commit"], { cwd: root });
  if (hooks.code !== 0 || existsSync(path.resolve(root, hooks.output.trim()))) return;
  // Only this hook: without a name lefthook would also replace other hooks.
  const { code, output } = await runCommand(localBin("lefthook"), ["install", "pre-commit"], { cwd: root });
  console.log(
    code === 0
      ? "  set up the pre-commit hook (to prevent it: git config svc.hooks false)"
      : `  the pre-commit hook was not set up: ${output.trim()}`,
  );
}
