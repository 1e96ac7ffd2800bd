import { readSync } from "node:fs";

let rest = Buffer.alloc(0);

/**
 * Reads the next line from the supervisor on file descriptor 4. It blocks the thread until the line arrives, so that nothing left in the event
 * loop by a finished job runs. Ends the process when the supervisor has ended.
 */
export function nextJob() {
  const chunks = [rest];
  const chunk = Buffer.allocUnsafe(65_536);
  for (let end = rest.indexOf(10); ; ) {
    if (end >= 0) {
      const all = Buffer.concat(chunks);
      const at = all.indexOf(10);
      rest = all.subarray(at + 1);
      return JSON.parse(all.toString("utf8", 0, at));
    }
    const length = readSync(4, chunk);
    if (length === 0) process.exit(0);
    const piece = Buffer.from(chunk.subarray(0, length));
    end = piece.indexOf(10);
    chunks.push(piece);
  }
}
