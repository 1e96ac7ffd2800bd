import { type Command, InvalidArgumentError, Option } from "commander";
import { type SyncOptionName, syncOptions } from "../../core/sync/config/config.ts";

const toFlag = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Adds options for properties of `svc.yaml`, by default for all. A list is comma-separated or repeated. */
export function addSyncOptions(command: Command, names = Object.keys(syncOptions) as SyncOptionName[]): Command {
  for (const name of names) {
    const schema = syncOptions[name];
    const { description = "", type } = schema;
    const flag = `--${toFlag(name)}`;
    if (type === "boolean") {
      command.addOption(new Option(`${flag}`, description));
      command.addOption(new Option(`--no-${toFlag(name)}`).hideHelp());
    } else if (type === "array") {
      const collect = (value: string, before: string[] | undefined) => [
        ...(before ?? []),
        ...value.split(",").filter((glob) => glob !== ""),
      ];
      command.addOption(new Option(`${flag} <globs>`, description).argParser(collect));
    } else {
      const parse = (text: string) => {
        const checked = schema.safeParse(type === "number" ? Number(text) : text);
        if (!checked.success) throw new InvalidArgumentError(checked.error.issues.map(({ message }) => message).join(" "));
        return checked.data;
      };
      command.addOption(new Option(`${flag} <value>`, description).argParser(parse));
    }
  }
  return command;
}
