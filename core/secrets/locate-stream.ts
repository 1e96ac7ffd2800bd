/** The beginning of a line of a log that belongs to the stream of its run. */
export const STREAM_MARK = "WM_STREAM: ";

/** The text that a chunk of a log adds to the stream, and the position of each of its characters in the chunk. */
interface LocatedStream {
  text: string;
  /** The first and the end position of each character: a line break is two characters of the log. */
  places: [from: number, to: number][];
}

/**
 * Finds the text of the stream in a chunk of a log. A chunk may begin inside of a line of the stream, or at another line: the second value is the stream
 * without the first line. It is absent if it is the same.
 */
export function locateStream(chunk: string): LocatedStream[] {
  const start = startOfText(chunk);
  if (start === 0 && !chunk.includes(STREAM_MARK) && !endsInMark(chunk)) return [];
  const all = collectStream(chunk, start);
  const firstEnd = chunk.indexOf("\n");
  return chunk.startsWith(STREAM_MARK) || firstEnd < 0 ? [all] : [all, collectStream(chunk, firstEnd)];
}

const endsInMark = (chunk: string): boolean => {
  const last = chunk.slice(chunk.lastIndexOf("\n") + 1);
  return last !== "" && STREAM_MARK.startsWith(last);
};

/** `start`: the position at which the text of the first line begins. */
function collectStream(chunk: string, start: number): LocatedStream {
  const parts: string[] = [];
  const places: LocatedStream["places"] = [];
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at = places.at(-1)?.[1] ?? to) {
      const isBreak = at + 1 < to && chunk.startsWith("\\n", at);
      parts.push(isBreak ? "\n" : (chunk[at] ?? ""));
      places.push([at, isBreak ? at + 2 : at + 1]);
    }
  };
  const endOfLine = (from: number) => {
    const newline = chunk.indexOf("\n", from);
    return newline < 0 ? chunk.length : newline;
  };
  add(start, endOfLine(start));
  for (let from = endOfLine(start) + 1; from < chunk.length; from = endOfLine(from) + 1) {
    if (chunk.startsWith(STREAM_MARK, from)) add(from + STREAM_MARK.length, endOfLine(from));
  }
  return { text: parts.join(""), places };
}

/** Returns the position at which the text of a chunk's first line begins. The chunk may begin inside the mark. */
function startOfText(chunk: string): number {
  for (let cut = 0; cut < STREAM_MARK.length; cut += 1) if (chunk.startsWith(STREAM_MARK.slice(cut))) return STREAM_MARK.length - cut;
  return 0;
}
