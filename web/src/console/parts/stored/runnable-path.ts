/** A script or a flow. */
export interface ChosenRunnable {
  kind: "script" | "flow";
  path: string;
}

/** Returns the stored form of a handler: `script/f/ops/alarm`. */
export const formatRunnable = ({ kind, path }: ChosenRunnable): string => `${kind}/${path}`;

/** Parses the stored form of a handler. A path alone is that of a script. Undefined: there is none. */
export function parseRunnable(path: string | undefined): ChosenRunnable | undefined {
  if (!path) return undefined;
  const [, kind = "script", named = path] = /^(script|flow)\/(.*)$/.exec(path) ?? [];
  return { kind: kind === "flow" ? "flow" : "script", path: named };
}
