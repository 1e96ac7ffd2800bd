import type { Bundle } from "../bundle.ts";

/** The sources and lists that a build of unsaved code uses instead of the stored ones of the workspace. The code of its job contains them. */
export interface BuildOverrides {
  /** Sources by script path, which imports find before the stored scripts. */
  sources?: Readonly<Record<string, string>> | undefined;
  /** Hashes of temporary sources by script path, which imports find before the stored scripts. */
  tempScripts?: Readonly<Record<string, string>> | undefined;
  /** Lists of package versions by the name of their file (`package.json`, `<name>.requirements.in`), used before the stored lists. */
  dependencyFiles?: Readonly<Record<string, string>> | undefined;
}

/** The code of a job that runs or builds unsaved code. */
export type UnstoredCode = BuildOverrides & {
  /**
   * For a job that only builds: the path at which the code would be saved, from which its relative imports start. The job itself has this path
   * only if its user may save there.
   */
  at?: string | undefined;
} & ({ content: string; lock?: string; bundle?: Bundle } | { flow: unknown });
