import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root, svcDir } from "../../engine/paths.ts";

/** The folders from which a run is requested, executed and read. */
const folders = ["aws", "contract", "core", "engine", "functions", "lib", "ports", "runners", "services", "statemachines", "test"];

/**
 * A change of one file: a new file, or a text that occurs once in the file and gets lines after it or is replaced. `fixture`: the folder of
 * `test/fixtures/changes/` with the new file.
 */
export type FileChange = { file: string } & (
  | { create: string }
  | { fixture: string }
  | { after: string; add: string }
  | { find: string; replace: string }
);

/** A copy of the checkout in which files are changed. */
export class ChangedCheckout {
  /** The name is that of an abandoned instance, so that the next run removes it if this one is killed. */
  private readonly folder = path.join(svcDir, `test-${process.pid}-901`);

  constructor(changes: readonly FileChange[]) {
    for (const folder of folders) cpSync(path.join(root, folder), path.join(this.folder, folder), { recursive: true });
    cpSync(path.join(root, "package.json"), path.join(this.folder, "package.json"));
    symlinkSync(path.join(root, "node_modules"), path.join(this.folder, "node_modules"));
    for (const change of changes) this.apply(change);
  }

  /** Loads a module of the copy. */
  load<T>(file: string): Promise<T> {
    return import(path.join(this.folder, file));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private apply(change: FileChange): void {
    const file = path.join(this.folder, change.file);
    if ("create" in change || "fixture" in change) {
      mkdirSync(path.dirname(file), { recursive: true });
      if ("create" in change) writeFileSync(file, change.create);
      else cpSync(path.join(root, "test/fixtures/changes", change.fixture, change.file), file);
      return;
    }
    const find = "after" in change ? `${change.after}\n` : change.find;
    const [before = "", rest, ...others] = readFileSync(file, "utf8").split(find);
    if (rest === undefined || others.length > 0) throw new Error(`${change.file} must contain this text once: ${find}`);
    writeFileSync(file, `${before}${"after" in change ? `${find}${change.add}\n` : change.replace}${rest}`);
  }
}
