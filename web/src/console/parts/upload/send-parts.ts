import { retry, type Wait } from "./retry.ts";

/** The state of an upload, as the service returns it. */
export interface PartsState {
  size: number;
  /** The size of each part except for the last one. */
  part_bytes: number;
  parts: number;
  /** The numbers of the parts that the storage has. */
  stored: readonly number[];
}

export interface PartRange {
  number: number;
  from: number;
  to: number;
}

interface PartSender {
  /** Sends a part once. Throws `Refused`. */
  send: (part: PartRange, options: { onBytes: (bytes: number) => void; signal: AbortSignal }) => Promise<void>;
  wait: Wait;
  /** Receives the number of bytes that are stored or being sent. */
  onBytes: (bytes: number) => void;
  /** Receives the number of stored bytes after each part. */
  onStored: (bytes: number) => void;
  signal: AbortSignal;
}

/** The parts that are sent at once. More of them would slow down the other requests of the page. */
const AT_ONCE = 3;

/** Returns the parts of a file that the storage does not have. */
export function listMissing({ size, part_bytes, parts, stored }: PartsState): PartRange[] {
  const numbers = new Set(stored);
  return Array.from({ length: parts }, (_, index) => index + 1)
    .filter((number) => !numbers.has(number))
    .map((number) => ({ number, from: (number - 1) * part_bytes, to: Math.min(number * part_bytes, size) }));
}

/** Sends the missing parts of a file. If one of them fails for good, the others end, and the failure is thrown. */
export async function sendParts(state: PartsState, { send, wait, onBytes, onStored, signal }: PartSender): Promise<void> {
  const missing = listMissing(state);
  let storedBytes = state.size - missing.reduce((sum, { from, to }) => sum + to - from, 0);
  const sending = new Map<number, number>();
  const report = () => onBytes([...sending.values()].reduce((sum, bytes) => sum + bytes, storedBytes));
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const sendNext = async (): Promise<void> => {
    for (let part = missing.shift(); part; part = missing.shift()) {
      const { number, from, to } = part;
      const sendOnce = () => {
        const onPartBytes = (bytes: number) => {
          sending.set(number, bytes);
          report();
        };
        return send({ number, from, to }, { onBytes: onPartBytes, signal: either });
      };
      await retry(sendOnce, { wait, signal: either });
      sending.delete(number);
      storedBytes += to - from;
      onStored(storedBytes);
      report();
    }
  };
  report();
  const workers = Array.from({ length: AT_ONCE }, () =>
    sendNext().catch((error) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.all(workers);
}
