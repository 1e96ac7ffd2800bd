/** A failure that the person at the keyboard can mend: its message is one sentence that says how. Shown without a stack. */
export class Complaint extends Error {
  name = "Complaint";
}

/** Prints what went wrong and answers the exit code: a complaint as its sentence, anything else whole, because that is a bug. */
export function explain(error, out = process.stderr) {
  if (error?.name === "Complaint") out.write(`\n${error.message}\n`);
  else out.write(`\n${error?.stack ?? error}\n`);
  return 1;
}
