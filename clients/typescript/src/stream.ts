/**
 * Adds text to the job's result stream. A caller of `run_and_stream` receives it while the job is running. The text is a line of the job's
 * output, so do not print an incomplete line before it.
 */
export function appendToResultStream(text: string): void {
  // A newline is encoded as `\n`. The format does not escape an existing backslash before an n.
  const parts = text.split("\\n").map((part) => part.replaceAll("\n", "\\n"));
  console.log(`WM_STREAM: ${parts.join("\\\nWM_STREAM: n")}`);
}

/** Adds every item of an iterator to the job's result stream. */
export async function streamResult(stream: AsyncIterable<string> | Iterable<string>): Promise<void> {
  for await (const text of stream) appendToResultStream(text);
}
