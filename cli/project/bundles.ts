import { mapInParallel } from "../../contract/utilities/map-in-parallel.ts";
import { findCodebases } from "../../core/sync/config/codebase.ts";
import type { FileProblem } from "../../core/sync/item.ts";
import { type Bundle, BundleFailure } from "../codebases/bundle.ts";
import { checkCodebases } from "../codebases/check-codebases.ts";
import { requireConsent } from "../codebases/consent.ts";
import type { Context } from "../context.ts";
import { throwProblems } from "../errors.ts";
import type { Project } from "./project.ts";
import type { Snapshot } from "./snapshots.ts";

/** The number of scripts that are bundled at the same time. */
const AT_ONCE = 4;

/** The part of a context that asks a person before a program of the repository is executed. */
type Asking = Pick<Context, "confirm" | "flags">;

/**
 * Bundles the scripts of codebases, and returns the bundles by the scripts' keys. Asks before it executes a program of the repository. Throws `UsageError`
 * with every problem, and `CommandError` without consent.
 */
export async function makeBundles(
  context: Asking,
  project: Project,
  snapshot: Snapshot,
  isWanted: (key: string) => boolean,
): Promise<Map<string, Bundle>> {
  const { bundles, problems } = await tryBundles(context, project, snapshot, isWanted);
  throwProblems(problems);
  return bundles;
}

/** Returns the problems of the configuration of codebases. Nothing is executed. */
export const checkBundling = (project: Project, snapshot: Snapshot): FileProblem[] => [
  ...checkCodebases(project),
  ...listOverlaps(project, snapshot),
];

/** Bundles the scripts of codebases as `makeBundles` does. Returns the bundles by the scripts' keys, and every problem. */
export async function tryBundles(
  context: Asking,
  project: Project,
  snapshot: Snapshot,
  isWanted: (key: string) => boolean,
): Promise<{ bundles: Map<string, Bundle>; problems: FileProblem[] }> {
  const misconfigured = checkBundling(project, snapshot);
  if (misconfigured.length > 0) return { bundles: new Map(), problems: misconfigured };
  const bundles = new Map<string, Bundle>();
  const problems: FileProblem[] = [];
  const selected = [...snapshot].filter(([key, { bundled }]) => bundled !== undefined && isWanted(key));
  // Most projects have no codebase, and their commands need no bundler.
  if (selected.length === 0) return { bundles, problems };
  await requireConsent(
    context,
    project.root,
    selected.flatMap(([, { bundled }]) => bundled?.codebase ?? []),
  );
  const { bundleScript } = await import("../codebases/bundle-script.ts");
  await mapInParallel(selected, AT_ONCE, async ([key, { item, bundled }]) => {
    if (bundled === undefined) return;
    try {
      bundles.set(key, await bundleScript(project.root, item, bundled.source, bundled.codebase));
    } catch (error) {
      if (!(error instanceof BundleFailure)) throw error;
      problems.push(...error.problems);
    }
  });
  return { bundles, problems: problems.toSorted((a, b) => (a.file < b.file ? -1 : 1)) };
}

/** Returns a problem for each script that belongs to several codebases. */
function listOverlaps(project: Project, snapshot: Snapshot): FileProblem[] {
  const { codebases = [] } = project.config;
  return [...snapshot.values()].flatMap(({ bundled }) => {
    const [first, second] = bundled === undefined ? [] : findCodebases(bundled.source, codebases);
    if (first === undefined || second === undefined) return [];
    const [one, other] = [codebases[first]?.relative_path, codebases[second]?.relative_path];
    const message = `${bundled?.source} belongs to the codebases ${one} (${first}) and ${other} (${second}). Exclude it from one of them.`;
    return [project.describeProblem(["codebases", second], message)];
  });
}

/** Adds bundles to the items of a snapshot. */
export function attachBundles(snapshot: Snapshot, bundles: ReadonlyMap<string, Bundle>): void {
  for (const [key, bundle] of bundles) {
    const found = snapshot.get(key);
    if (found) snapshot.set(key, { ...found, digest: { ...found.digest, bundle: bundle.digest }, bundle });
  }
}
