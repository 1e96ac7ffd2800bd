import { join, relative, sep } from "node:path";
import { watch } from "chokidar";
import { CommandError } from "../errors.ts";

/** The folders of a project in which scripts and flows have files. */
const WATCHED = ["f", "u"];

/** A save counts as complete when the file has not changed for this time: editors write in several steps, and no event reports the last one. */
const SAVED_AFTER_MS = 50;

/** A watch of the files of a project. Paths are relative to its root. */
export interface FileWatch {
  /** Calls a function with each file that is saved from now on. */
  onSave(call: (file: string) => void): void;
  /** Watches further files and folders. */
  add(paths: readonly string[]): void;
  close(): Promise<void>;
}

/** Returns a watch once every file below `f` and `u` is watched. `onProblem` receives later failures. Throws `CommandError`. */
export async function watchFiles(root: string, onProblem: (problem: CommandError) => void): Promise<FileWatch> {
  const isIgnored = (path: string) =>
    relative(root, path)
      .split(sep)
      .some((part) => part === "node_modules" || (part.startsWith(".") && !/^\.+$/.test(part)));
  const watcher = watch(
    WATCHED.map((folder) => join(root, folder)),
    { ignored: isIgnored, ignoreInitial: true, awaitWriteFinish: { stabilityThreshold: SAVED_AFTER_MS, pollInterval: 10 } },
  );
  const toProblem = (error: unknown) =>
    new CommandError(`Files cannot be watched: ${error instanceof Error ? error.message : String(error)}.`);
  await new Promise<void>((resolve, reject) => watcher.once("ready", () => resolve()).once("error", (error) => reject(toProblem(error))));
  watcher.on("error", (error) => onProblem(toProblem(error)));
  const watchedPaths = new Set<string>();
  return {
    onSave(call) {
      const report = (path: string) => call(relative(root, path).split(sep).join("/"));
      watcher.on("add", report).on("change", report);
    },
    add(paths) {
      const further = paths.filter((path) => !watchedPaths.has(path));
      for (const path of further) watchedPaths.add(path);
      if (further.length > 0) watcher.add(further.map((path) => join(root, path)));
    },
    close: () => watcher.close(),
  };
}
