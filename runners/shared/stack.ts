import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join } from "node:path";

/** Frames inside the interpreter: they help nobody to find a fault in a script. */
const INTERPRETER_FRAME = /node:internal\/|\bext:|processTicksAndRejections|\(native(:|\b)|\(internal:|@internal:/;
/** Frames of ours. */
const WRAPPER_FRAME = /\/(realm|wrapper|worker)\.mjs:\d+/;

export interface StackPlaces {
  /** Holds `main.mjs` and its map. */
  artefact: string;
  jobDirectory: string;
}

/** Rewrites frames of the bundle to the script's own files and lines, drops frames of ours, and takes the machine's paths out. */
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

/** Machine paths out of a text that people read: the artefact's files by their names, the job's files relative to its directory. */
export function withoutPaths(text: string, { artefact, jobDirectory }: StackPlaces): string {
  return text
    .replaceAll(`file://${artefact}/`, "")
    .replaceAll(`${artefact}/`, "")
    .replaceAll(`file://${jobDirectory}/`, "./")
    .replaceAll(`${jobDirectory}/`, "./")
    .replaceAll(jobDirectory, ".");
}

function mapFrame(line: string, artefact: string, map: SourceMap | undefined): string {
  const place = /(?:file:\/\/)?(\/[^()]*?):(\d+)(?::(\d+))?\)?$/.exec(line);
  if (!place || !map) return line;
  const [, path = "", row = "1", column = "1"] = place;
  if (path !== join(artefact, "main.mjs")) return line;
  const entry = map.findEntry(Number(row) - 1, Number(column) - 1);
  if (!("originalSource" in entry) || !entry.originalSource) return line;
  const at = `${sourceName(entry.originalSource, artefact)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  return `${line.slice(0, place.index)}${at}${line.endsWith(")") ? ")" : ""}`;
}

/** A source as the map names it, without what leads out of the bundle's directory. */
function sourceName(source: string, artefact: string): string {
  return source.replace(`file://${dirname(artefact)}/`, "").replace(/^(?:\.{1,2}\/)+/, "");
}

function loadMap(artefact: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(join(artefact, "main.mjs.map"), "utf8")));
  } catch {
    // Without a map the bundle's own lines are still better than nothing.
    return undefined;
  }
}
