import { itemKey } from "../../core/sync/item.ts";
import type { Context } from "../context.ts";
import { CommandError, formatProblem } from "../errors.ts";
import type { PreviewPlace } from "../preview/find-item.ts";
import { attachBundles, tryBundles } from "../project/bundles.ts";
import type { Project } from "../project/project.ts";
import type { SnapshotItem } from "../project/snapshot-item.ts";
import { parseLocal, readProjectFiles, toLayout } from "../project/snapshots.ts";
import { type BundleParts, findAffectedItems, listBundleParts } from "./affected-items.ts";
import { LatestTask } from "./latest-task.ts";
import { previewOnSave } from "./preview-on-save.ts";
import { type FileWatch, watchFiles } from "./watch-files.ts";

/** Previews the items of a saved file. A save during a preview cancels it. */
export class DevSession {
  readonly #context: Context;
  readonly #project: Project;
  readonly #watch: FileWatch;
  readonly #bundles = new Map<string, BundleParts>();
  readonly #previews: LatestTask;

  private constructor(context: Context, project: Project, watch: FileWatch) {
    this.#context = context;
    this.#project = project;
    this.#watch = watch;
    this.#previews = new LatestTask((error) => reportProblem(context, error));
  }

  /** Returns a session that watches the files of a project. */
  static async start(context: Context, project: Project): Promise<DevSession> {
    const watch = await watchFiles(project.root, (problem) => reportProblem(context, problem));
    const session = new DevSession(context, project, watch);
    watch.onSave((file) => session.#preview(file));
    await session.#readBundles().catch(async (error: unknown) => {
      await session.close();
      throw error;
    });
    return session;
  }

  /** Cancels the current preview and ends the watch. */
  async close(): Promise<void> {
    await this.#watch.close();
    await this.#previews.close();
  }

  /** Bundles the scripts of codebases once, because a file that they import belongs to them. */
  async #readBundles(): Promise<void> {
    const { snapshot } = parseLocal(readProjectFiles(this.#project), this.#project, toLayout(this.#project));
    const { bundles, problems } = await tryBundles(this.#context, this.#project, snapshot, () => true);
    for (const problem of problems) reportProblem(this.#context, new CommandError(formatProblem(problem)));
    attachBundles(snapshot, bundles);
    for (const local of snapshot.values()) this.#remember(local);
  }

  #remember(local: SnapshotItem): void {
    const { path } = local.item;
    const item: PreviewPlace = { kind: "script", path };
    // A bundle that cannot be built retains its previous inputs.
    if (local.bundled === undefined || local.bundle === undefined) return;
    const paths = listBundleParts(local);
    this.#bundles.set(itemKey(item), { item, paths });
    this.#watch.add(paths);
  }

  #preview(file: string): void {
    const { defaultTs } = toLayout(this.#project);
    const items = findAffectedItems(file, { defaultTs, bundles: this.#bundles.values() });
    if (items.length === 0) return;
    this.#previews.replace(async (signal) => {
      for (const item of items) {
        if (signal.aborted) return;
        await previewOnSave(this.#context, item, { signal, onRead: ({ local }) => this.#remember(local) }).catch((error: unknown) =>
          reportProblem(this.#context, error),
        );
      }
    });
  }
}

/** Prints a problem that the next save may fix. Throws any other error. */
function reportProblem({ output }: Context, error: unknown): void {
  if (!(error instanceof CommandError)) throw error;
  output.progress({ event: "problem", message: error.message }, `${output.style("red", error.message)}\n`);
}
