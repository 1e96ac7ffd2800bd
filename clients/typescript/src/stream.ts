/**
 * Adds text to the job's result stream: who called with `run_and_stream` gets it while the job still runs. It travels as a line of the job's
 * output, so do not print half a line before it.
 */
export function appendToResultStream(text: string): void {
  // A newline is written `\n`. A backslash before an n that the text has itself ends a line, and the n begins the next.
  const parts = text.split("\\n").map((part) => part.replaceAll("\n", "\\n"));
  console.log(`WM_STREAM: ${parts.join("\\\nWM_STREAM: n")}`);
}

/** Adds all that an iterator gives to the job's result stream, piece by piece. */
export async function streamResult(stream: AsyncIterable<string> | Iterable<string>): Promise<void> {
  for await (const text of stream) appendToResultStream(text);
}
