import { execFileSync } from "node:child_process";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createCompletion } from "./completion.ts";

const program = new Command("svc").option("--json", "as JSON");
const sync = program.command("sync");
sync.command("pull").option("--dry-run", "only show");
sync.command("push").option("--prune-secrets", "delete");
program.command("login").argument("<url>");

/** Completes a command line in bash, at its last word. */
function complete(...words: string[]): string[] {
  const script = `${createCompletion(program, "bash")}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8" })
    .split("\n")
    .filter((word) => word !== "");
}

describe("the completion in bash", () => {
  it.each([
    [
      ["svc", ""],
      ["--help", "--json", "login", "sync"],
    ],
    [["svc", "s"], ["sync"]],
    [
      ["svc", "sync", "p"],
      ["pull", "push"],
    ],
    [
      ["svc", "sync", "pull", "--"],
      ["--dry-run", "--help"],
    ],
    [["svc", "--json", "sync", "push", "--p"], ["--prune-secrets"]],
    [["svc", "login", "https://svc.example.com", "--"], ["--help"]],
    [["svc", "x", "y"], []],
  ])("completes %j to %j", (words, expected) => {
    expect(complete(...words)).toEqual(expected);
  });
});

it("lists every command and flag for zsh and fish", () => {
  expect(createCompletion(program, "zsh")).toContain("bashcompinit");
  expect(createCompletion(program, "fish")).toContain(
    'complete -c svc -n "__fish_seen_subcommand_from sync; and __fish_seen_subcommand_from push" -l prune-secrets',
  );
});
