/** Returns the folder of a path such as `f/ops/daily`, also before its name is typed. */
export function folderOfPath(path: string): string | undefined {
  return /^f\/([\w-]+)\//.exec(path)?.[1];
}
