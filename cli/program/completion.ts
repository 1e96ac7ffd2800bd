import type { Command } from "commander";

/** The shells for which `svc completion` prints a script. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** A command with the words that may follow it. */
interface Node {
  /** The names of the commands up to this one, without the program's. */
  path: string;
  words: string[];
}

/** Lists the commands of a program, each with its commands and flags. */
function listNodes(program: Command, path: readonly string[] = []): Node[] {
  const commands = program.commands.map((command) => command.name());
  const flags = program.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => (long ? [long] : []));
  const below = program.commands.flatMap((command) => listNodes(command, [...path, command.name()]));
  return [{ path: path.join(" "), words: [...commands, ...flags, "--help"].sort() }, ...below];
}

/** Returns the script that a shell loads to complete the commands and flags of a program. It calls nothing. */
export function createCompletion(program: Command, shell: Shell): string {
  const nodes = listNodes(program);
  if (shell === "fish") return toFish(nodes);
  return shell === "bash" ? toBash(nodes) : `autoload -U +X bashcompinit && bashcompinit\n${toBash(nodes)}`;
}

/** Words of commands contain no characters that a shell interprets, because this program defines all names and flags. */
function toBash(nodes: readonly Node[]): string {
  const cases = nodes.map(({ path, words }) => `    "${path}") words="${words.join(" ")}" ;;`);
  return `_svc() {
  local words="" path="" word index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ "$word" == -* ]] && continue
    if _svc_has "\${path:+$path }$word"; then path="\${path:+$path }$word"; fi
  done
  case "$path" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
_svc_has() {
  case "$1" in
    ${nodes.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`])).join(" | ")}) return 0 ;;
  esac
  return 1
}
complete -o default -F _svc svc
`;
}

function toFish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, words }) => {
    const seen = path === "" ? ["__fish_use_subcommand"] : path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    return words.map((word) => {
      const completion = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c svc -n "${seen.join("; and ")}" ${completion}`;
    });
  });
  return `${lines.join("\n")}\n`;
}
