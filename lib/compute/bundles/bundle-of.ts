import type { Bundle } from "./bundle.ts";

/** Returns the bundle of a function or runner. Throws an error that names the folder if it does not exist. */
export function bundleOf(bundles: readonly Bundle[], kind: Bundle["kind"], name: string): Bundle {
  const found = bundles.find((bundle) => bundle.kind === kind && bundle.name === name);
  if (!found) throw new Error(`${kind}/${name} has no handler.ts, but the stack needs it.`);
  return found;
}
