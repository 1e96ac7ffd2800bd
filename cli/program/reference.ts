import type { Argument, Command, Option } from "commander";

const INTRODUCTION = `# The commands of svc

\`cli/program/reference.test.ts\` writes this page from the program. [A workspace as files](../sync.md) explains how the commands work together.
`;

/** Returns the page that documents every command and option of a program. */
export function createReference(program: Command): string {
  const groups = program.commands.map((command) => describeGroup(command, program.name()));
  const shared = ["## Options of every command", "", ...table("Option", program.options.filter(isShown).map(describeOption))];
  return `${[INTRODUCTION, ...shared, "", ...groups].join("\n").trimEnd()}\n`;
}

function describeGroup(command: Command, parent: string): string {
  const name = `${parent} ${command.name()}`;
  if (command.commands.length === 0) return [`## ${name}`, "", ...describeCommand(command, name)].join("\n");
  const shared = listSharedOptions(command.commands);
  const parts = command.commands.flatMap((inner) => {
    const innerName = `${name} ${inner.name()}`;
    return [`### ${innerName}`, "", ...describeCommand(inner, innerName, shared)];
  });
  const options = shared.size === 0 ? [] : [...table(`Option of every \`${name}\` command`, [...shared.values()].map(describeOption)), ""];
  return [`## ${name}`, "", command.description(), "", ...options, ...parts].join("\n");
}

/** Returns the options that several commands have in common, by their flags. */
function listSharedOptions([first, ...rest]: readonly Command[]): Map<string, Option> {
  const isEverywhere = ({ flags, description }: Option) =>
    rest.every(({ options }) => options.some((option) => option.flags === flags && option.description === description));
  if (first === undefined || rest.length === 0) return new Map();
  return new Map(first.options.filter((option) => isShown(option) && isEverywhere(option)).map((option) => [option.flags, option]));
}

function describeCommand(command: Command, name: string, shared: ReadonlyMap<string, Option> = new Map()): string[] {
  const usage = [name, ...command.registeredArguments.map(formatArgument)].join(" ");
  const options = command.options.filter((option) => isShown(option) && !shared.has(option.flags));
  const describedArguments = command.registeredArguments.filter(({ description }) => description !== "");
  const rows = [...describedArguments.map(describeArgument), ...options.map(describeOption)];
  return [`\`${usage}\`: ${command.description()}`, "", ...(rows.length > 0 ? [...table("Argument or option", rows), ""] : [])];
}

const isShown = ({ hidden }: Option): boolean => !hidden;

function formatArgument(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

type Row = readonly [name: string, description: string];

const describeArgument = (argument: Argument): Row => [
  formatArgument(argument),
  complete(argument.description, argument.argChoices, argument.defaultValue),
];
const describeOption = ({ flags, description, argChoices, defaultValue }: Option): Row => [
  flags,
  complete(description, argChoices, defaultValue),
];

/** Adds the values that are allowed and the default to a description. */
function complete(description: string, choices: readonly string[] | undefined, byDefault: unknown): string {
  const values = choices === undefined ? "" : `: ${choices.join(", ")}`;
  return `${description}${values}${byDefault === undefined ? "" : ` (default: ${String(byDefault)})`}`;
}

const table = (title: string, rows: readonly Row[]): string[] => [
  `| ${title} | Meaning |`,
  "|---|---|",
  ...rows.map(([name, description]) => `| \`${name.replaceAll("|", "\\|")}\` | ${description.replaceAll("|", "\\|")} |`),
];
