import { createWorker } from "../worker/create-worker.ts";
import type { ResourceType } from "./declare-resource-types.ts";
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

/** The types of a workspace for all editors of a page, which share one worker. */
export class PageTypes {
  isResting = false;
  readonly client = new TypeClient(startWorker, (isResting) => {
    this.isResting = isResting;
    this.notify();
  });
  private readonly editors = new Set<() => void>();
  private resourceTypes: readonly ResourceType[] | undefined;
  private endTimer: ReturnType<typeof setTimeout> | undefined;

  /** Adds an editor, which is called when its problems may have changed. Returns the function that removes it. */
  join(onChange: () => void): () => void {
    clearTimeout(this.endTimer);
    this.editors.add(onChange);
    return () => {
      this.editors.delete(onChange);
      if (this.editors.size === 0) this.endTimer = setTimeout(() => this.client.end(), UNUSED_MS);
    };
  }

  setResourceTypes(resourceTypes: readonly ResourceType[]): void {
    if (resourceTypes === this.resourceTypes) return;
    this.resourceTypes = resourceTypes;
    this.client.setResourceTypes(resourceTypes);
    this.notify();
  }

  private notify(): void {
    for (const onChange of this.editors) onChange();
  }
}

const pages = new Map<string, PageTypes>();

/** Returns the types of a workspace. */
export function typesOf(workspace: string): PageTypes {
  const types = pages.get(workspace) ?? new PageTypes();
  pages.set(workspace, types);
  return types;
}
