export interface Phase {
  update(detail: string): void;
  done(detail?: string): void;
  failed(): void;
}
interface Out {
  isTTY?: boolean;
  write(text: string): unknown;
}
export function formatDuration(ms: number): string;
/** Runs `work` as one phase. `phase.update` changes the text of the finished line. */
export function inPhase<T>(name: string, detail: string, work: (phase: Phase) => Promise<T>, out?: Out): Promise<T>;
