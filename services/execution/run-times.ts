/** The last run time of each artefact that this process has observed (ms). */
const runTimes = new Map<string, number>();
const MAX_KNOWN = 5000;

export const lastRunTimes = {
  note(artefact: string, ms: number): void {
    if (runTimes.size >= MAX_KNOWN && !runTimes.has(artefact)) runTimes.clear();
    runTimes.set(artefact, ms);
  },
  get: (artefact: string): number | undefined => runTimes.get(artefact),
};
