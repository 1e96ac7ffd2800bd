/** A search result, as the service returns it. */
interface Found {
  path: string;
  matches: readonly { field: string; text: string }[];
}

export interface SearchedScripts {
  /** Searches the scripts that contain a name, and returns at most `MOST_FOUND`. */
  search: (name: string) => Promise<readonly Found[]>;
  /** Loads the text of a script. Returns `undefined` if there is none. */
  load: (path: string) => Promise<string | undefined>;
}

export const MOST_FOUND = 20;
const MOST_LOADED = 5;
/** The search reads sources for three letters or more. */
const SEARCHED = /^[A-Za-z_$][\w$]{2,}$/;

const EXPORTED =
  /\bexport\s+(?:(?:default|declare|abstract|async)\s+)*(?:function\*?|const|let|var|class|type|interface|enum)\s+([A-Za-z_$][\w$]*)/g;

/** Returns whether a script in TypeScript exports a name, or one that begins with it. */
export const exportsName = (text: string, name: string, isBeginning = false): boolean =>
  [...text.matchAll(EXPORTED)].some(([, exported = ""]) => (isBeginning ? exported.startsWith(name) : exported === name));

const isExport = ({ field, text }: Found["matches"][number]) => field === "source" && text.includes("export");

/**
 * Finds the scripts that export a name, or one that begins with it, except for the script that is edited. `isComplete`: a search of a longer name
 * finds no others.
 */
export async function findExporters(
  name: string,
  edited: string | undefined,
  { search, load }: SearchedScripts,
): Promise<{ texts: Map<string, string>; isComplete: boolean }> {
  if (!SEARCHED.test(name)) return { texts: new Map(), isComplete: false };
  const found = (await search(name)).filter(({ path }) => path !== edited);
  // The first line with the name is the export in most scripts that export it, and is not in those that use it.
  const [likely, others] = [true, false].map((isLikely) => found.filter(({ matches }) => matches.some(isExport) === isLikely));
  const paths = [...(likely ?? []), ...(others ?? [])].map(({ path }) => path);
  const loaded = await Promise.all(paths.slice(0, MOST_LOADED).map(async (path) => [path, await load(path)] as const));
  return {
    texts: new Map(loaded.flatMap(([path, text]) => (text !== undefined && exportsName(text, name, true) ? [[path, text]] : []))),
    isComplete: found.length < MOST_FOUND && paths.length <= MOST_LOADED,
  };
}
