/** A failure that the user can fix. Its message contains the fault and the next step. It is shown without a stack. */
export class Complaint extends Error {
  name = "Complaint";
}

/** Prints what went wrong and answers the exit code: a complaint as its sentence, anything else whole, because that is a bug. */
export function explain(error, out = process.stderr) {
  if (error?.name === "Complaint") out.write(`\n${error.message}\n`);
  else out.write(`\n${error?.stack ?? error}\n`);
  return 1;
}
