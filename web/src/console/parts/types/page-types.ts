import { Refused } from "../../../shared/service.ts";
import { call } from "../../data/api.ts";
import { call as callObjects } from "../../data/objects-api.ts";
import { createWorker } from "../worker/create-worker.ts";
import { exportsName, findExporters, MOST_FOUND, type SearchedScripts } from "./exporters/find-exporters.ts";
import type { ScriptContext } from "./question.ts";
import { TypeClient, type TypesWorker } from "./type-client.ts";
import type { Beginning } from "./types-worker.ts";
import workerAddress from "./types-worker.ts?worker&url";

/** Another step or script that is opened soon finds the worker running. Later, its memory counts more. */
const UNUSED_MS = 60_000;

function startWorker(): TypesWorker {
  const worker = createWorker(workerAddress);
  // A file that cannot be loaded counts as a worker that does not start.
  const sendFiles = ({ typeFiles }: { typeFiles: Beginning["files"] }) => worker.postMessage({ files: typeFiles } satisfies Beginning);
  import("./type-files.ts").then(sendFiles, () => undefined);
  return worker as TypesWorker;
}

/** A script with more imports than this is checked without the rest. */
const MOST_SCRIPTS = 50;
const MOST_CHARACTERS = 2_000_000;

/** Each name that nothing declares costs a search. */
const MOST_SEARCHES = 50;

/** The types of a workspace for all editors of a page, which share one worker. */
export class PageTypes {
  isResting = false;
  readonly client = new TypeClient(startWorker, (isResting) => {
    this.isResting = isResting;
    this.notify();
  });
  private readonly editors = new Set<() => void>();
  private readonly stored: SearchedScripts;
  /** The other scripts by path. Those without a text are being loaded, or are not there. */
  private scripts = new Map<string, string | undefined>();
  /** The names for which other scripts were searched. After a complete search, longer names need none. */
  private searched = new Map<string, { isComplete: boolean }>();
  private context: Partial<ScriptContext> = {};
  private endTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(stored: SearchedScripts) {
    this.stored = stored;
  }

  /** Adds an editor, which is called when its problems may have changed. Returns the function that removes it. */
  join(onChange: () => void): () => void {
    clearTimeout(this.endTimer);
    // Another editor may have changed the scripts since.
    if (this.editors.size === 0) {
      this.scripts = new Map();
      this.searched = new Map();
    }
    this.editors.add(onChange);
    return () => {
      this.editors.delete(onChange);
      if (this.editors.size === 0) this.endTimer = setTimeout(() => this.client.end(), UNUSED_MS);
    };
  }

  /** Replaces parts of the context of the script. */
  setContext(context: Partial<ScriptContext>): void {
    const names = Object.keys(context) as (keyof ScriptContext)[];
    if (names.every((name) => context[name] === this.context[name])) return;
    this.context = { ...this.context, ...context };
    this.client.setContext(context);
    this.notify();
  }

  /** Loads other scripts, each once as long as an editor is open. */
  loadScripts(paths: readonly string[]): void {
    const { scripts } = this;
    const missing = paths.filter((path) => !scripts.has(path)).slice(0, Math.max(0, MOST_SCRIPTS - scripts.size));
    if (missing.length === 0) return;
    for (const path of missing) scripts.set(path, undefined);
    void Promise.all(missing.map(async (path) => scripts.set(path, await this.stored.load(path)))).then(() => {
      if (scripts === this.scripts) this.setContext({ scripts: selectWithin(scripts, MOST_CHARACTERS) });
    });
  }

  /** Returns the loaded scripts that export a name. Loads those that are not there yet, and notifies the editors then. */
  listExporters(name: string, edited: string | undefined): readonly string[] {
    this.searchExporters(name, edited);
    return [...this.scripts].flatMap(([path, text]) => (text !== undefined && path !== edited && exportsName(text, name) ? [path] : []));
  }

  private searchExporters(name: string, edited: string | undefined): void {
    const { searched, scripts } = this;
    const isFound = [...searched].some(([each, { isComplete }]) => each === name || (isComplete && name.startsWith(each)));
    if (isFound || searched.size >= MOST_SEARCHES) return;
    searched.set(name, { isComplete: false });
    findExporters(name, edited, this.stored).then(
      ({ texts, isComplete }) => {
        searched.set(name, { isComplete });
        if (texts.size === 0 || scripts !== this.scripts) return;
        for (const [path, text] of texts) scripts.set(path, text);
        this.setContext({ scripts: selectWithin(scripts, MOST_CHARACTERS) });
      },
      // Without the search, names are imported by hand.
      () => undefined,
    );
  }

  private notify(): void {
    for (const onChange of this.editors) onChange();
  }
}

function selectWithin(scripts: ReadonlyMap<string, string | undefined>, mostCharacters: number): Record<string, string> {
  const selected: Record<string, string> = {};
  let left = mostCharacters;
  for (const [path, text] of scripts) {
    if (text === undefined || text.length > left) continue;
    selected[path] = text;
    left -= text.length;
  }
  return selected;
}

const pages = new Map<string, PageTypes>();

/** Returns the types of a workspace. */
export function typesOf(workspace: string): PageTypes {
  const types =
    pages.get(workspace) ?? new PageTypes({ search: (q) => searchScripts(workspace, q), load: (path) => loadScript(workspace, path) });
  pages.set(workspace, types);
  return types;
}

const searchScripts = (workspace: string, q: string) =>
  callObjects.search.list({ workspace, query: { q, kinds: "script", per_page: MOST_FOUND } });

/** Loads the text of a script. Returns `undefined` if there is none, or if the person may not read it. */
async function loadScript(workspace: string, path: string): Promise<string | undefined> {
  try {
    // A request that fails is an error in the browser's log, and a path that is being typed names no script.
    if (!(await call.scripts.exists({ workspace, path }))) return undefined;
    return await call.scripts.rawByPath({ workspace, path });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return undefined;
  }
}
