import { InvalidArgumentError, Option } from "commander";
import { parseExactJson } from "../../contract/json/exact-json.ts";

/** The option `--data` with a JSON object. */
export const data = (description: string): Option => new Option("-d, --data <json>", description).argParser(parseObject);

function parseObject(text: string): unknown {
  try {
    const value = parseExactJson(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Text that is not JSON gets the same message.
  }
  throw new InvalidArgumentError("It must be a JSON object.");
}
