/** The step of the flow and the iteration, as people count, with which a restart repeats the step of a path. A restart begins at the first level. */
export function restartPoint(path: string): { step: string; iteration: number | undefined } {
  const [step = "", inside = ""] = path.split("/");
  return { step, iteration: /^\d+$/.test(inside) ? Number(inside) + 1 : undefined };
}
