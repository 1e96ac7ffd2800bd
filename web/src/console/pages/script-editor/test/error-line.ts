import { isJsonObject } from "../../../../../../contract/json/json-object.ts";

export interface ErrorLine {
  message: string;
  at: { line: number; column?: number };
}

interface RunOfScript {
  language: string;
  /** The path with which the run was started. Its errors name it. */
  path: string;
  result: unknown;
}

/** The place after the path of a script: `.ts:3:5`, or `.py", line 3`. */
const AFTER_PATH = /^\.\w+(?::(\d+)(?::(\d+))?|", line (\d+))/;

/** Returns the line of a script at which its run failed, if the error names one. Python's stacks end with the innermost line, others begin with it. */
export function errorLineOf({ language, path, result }: RunOfScript): ErrorLine | undefined {
  if (!isJsonObject(result) || !isJsonObject(result["error"])) return undefined;
  const { name, message, stack } = result["error"];
  const texts = [stack, message].filter((text) => typeof text === "string");
  for (const text of texts) {
    const found = text.split(path).flatMap((rest, index) => {
      const frame = index > 0 && AFTER_PATH.exec(rest);
      return frame ? [frame] : [];
    });
    const match = language === "python3" ? found.at(-1) : found[0];
    if (!match) continue;
    const [, line, column, pythonLine] = match;
    const at = { line: Number(line ?? pythonLine), ...mapColumn(column) };
    return { message: [name, message].filter((text) => typeof text === "string" && text !== "").join(": "), at };
  }
  return undefined;
}

const mapColumn = (column: string | undefined) => (column ? { column: Number(column) } : {});
