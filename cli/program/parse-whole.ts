import { InvalidArgumentError } from "commander";

/** Returns the parser of an option that is a whole number. */
export const parseWhole =
  (least: number) =>
  (text: string): number => {
    const count = Number(text);
    if (!Number.isInteger(count) || count < least) throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
    return count;
  };
