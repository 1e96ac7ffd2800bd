/** How long the code of an artefact took when it ran last, as far as this process has seen it. */
const known = new Map<string, number>();
const KNOWN_MOST = 5000;

export const lastRunTimes = {
  /** `artefact`: its key. */
  note(artefact: string, ms: number): void {
    if (known.size >= KNOWN_MOST && !known.has(artefact)) known.clear();
    known.set(artefact, ms);
  },
  of: (artefact: string): number | undefined => known.get(artefact),
};
