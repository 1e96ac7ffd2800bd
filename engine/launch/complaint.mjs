import { inspect } from "node:util";

/** A failure that the user can fix. Its message contains the fault and the next step. It is shown without a stack. */
export class Complaint extends Error {
  name = "Complaint";
}

/** Prints an error and returns the exit code: the sentence of a complaint, or the complete error with its causes for a bug. */
export function explain(error, out = process.stderr) {
  if (error?.name === "Complaint") out.write(`\n${error.message}\n`);
  else out.write(`\n${inspect(error)}\n`);
  return 1;
}
