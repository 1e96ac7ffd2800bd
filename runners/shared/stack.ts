import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join } from "node:path";

/** Frames inside the interpreter, which do not help to find a fault in a script. */
const INTERPRETER_FRAME = /node:internal\/|\bext:|processTicksAndRejections|\(native(:|\b)|\(internal:|@internal:/;
/** Frames of svc's wrappers. */
const WRAPPER_FRAME = /\/(realm|result-json|thrown|wrapper|worker)\.mjs:\d+/;

export interface StackPlaces {
  /** The directory of `main.mjs` and its source map. */
  artefact: string;
  jobDirectory: string;
}

/** Maps frames of the bundle to the script's files and lines, and removes the wrapper's frames and machine paths. */
export function readableStack(stack: string, places: StackPlaces): string {
  const map = loadMap(places.artefact);
  const lines: string[] = [];
  for (const line of stack.split("\n")) {
    if (!/^\s+at /.test(line)) {
      lines.push(withoutPaths(line, places));
      continue;
    }
    if (INTERPRETER_FRAME.test(line) || (WRAPPER_FRAME.test(line) && !line.includes(places.jobDirectory))) continue;
    lines.push(withoutPaths(mapFrame(line, places.artefact, map), places));
  }
  return lines.join("\n");
}

/** Removes machine paths from a text: files of the artefact appear by name, files of the job relative to its directory. */
export function withoutPaths(text: string, { artefact, jobDirectory }: StackPlaces): string {
  return text
    .replaceAll(`file://${artefact}/`, "")
    .replaceAll(`${artefact}/`, "")
    .replaceAll(`file://${jobDirectory}/`, "./")
    .replaceAll(`${jobDirectory}/`, "./")
    .replaceAll(jobDirectory, ".");
}

function mapFrame(line: string, artefact: string, map: SourceMap | undefined): string {
  const position = /(?:file:\/\/)?(\/[^()]*?):(\d+)(?::(\d+))?\)?$/.exec(line);
  if (!position || !map) return line;
  const [, path = "", row = "1", column = "1"] = position;
  if (path !== join(artefact, "main.mjs")) return line;
  const entry = map.findEntry(Number(row) - 1, Number(column) - 1);
  if (!("originalSource" in entry) || !entry.originalSource) return line;
  const at = `${sourceName(entry.originalSource, artefact)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  return `${line.slice(0, position.index)}${at}${line.endsWith(")") ? ")" : ""}`;
}

/** Returns a source's name from the map without parts that lead outside the bundle's directory. */
function sourceName(source: string, artefact: string): string {
  return source.replace(`file://${dirname(artefact)}/`, "").replace(/^(?:\.{1,2}\/)+/, "");
}

function loadMap(artefact: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(join(artefact, "main.mjs.map"), "utf8")));
  } catch {
    // Without a source map, line numbers of the bundle are the best information.
    return undefined;
  }
}
