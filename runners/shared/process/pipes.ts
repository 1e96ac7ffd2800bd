import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { settings } from "../settings.ts";

/*
 * Children get named pipes, because the "pipes" that Node makes for a child are sockets: two of its file descriptors cannot share one (and the
 * order of stdout and stderr is lost), and a socket cannot be opened again as /dev/stderr or /dev/fd/3. The names are made in batches, ahead of
 * need, and each is removed as soon as both ends are open, so no later process can be mixed up with an earlier one.
 */

const BATCH = 24;
const LOW = 8;
const names: string[] = [];
/** Names of an earlier supervisor with the same process id may still be there. */
const run = randomBytes(4).toString("hex");
let made = 0;
let refilling = false;

function newNames(): string[] {
  return Array.from({ length: BATCH }, () => join(settings().workDir, "pipes", `${process.pid}-${run}-${++made}`));
}

function takeName(): string {
  if (names.length === 0) {
    const batch = newNames();
    execFileSync("mkfifo", ["-m", "600", ...batch], { stdio: "ignore" });
    names.push(...batch);
  }
  // The check of the length is above.
  return names.pop() as string;
}

/** Makes the next batch when few are left. Called between runs, so that no run waits for it. */
export function refillPipes(): void {
  if (refilling || names.length >= LOW) return;
  refilling = true;
  const batch = newNames();
  execFile("mkfifo", ["-m", "600", ...batch], (error) => {
    refilling = false;
    if (!error) names.push(...batch);
  }).unref();
}

/** Removes the names that were made but not used. */
export function removeUnusedPipes(): void {
  for (const name of names.splice(0)) {
    try {
      unlinkSync(name);
    } catch {
      // Gone already: the work directory was removed.
    }
  }
}

const drainBuffer = Buffer.allocUnsafeSlow(65_536);

/** The supervisor's end of a pipe that a child writes to. */
export class PipeReader {
  /** Gets every chunk, in order; replaced when the pipe serves the next run. */
  onData: (chunk: Buffer) => void = () => {};
  readonly #fd: number;
  readonly #socket: Socket;

  constructor(fd: number) {
    this.#fd = fd;
    this.#socket = new Socket({ fd, readable: true, writable: false });
    this.#socket.on("data", (chunk: Buffer) => this.onData(chunk));
    this.#socket.on("error", () => this.#socket.destroy());
    this.#socket.unref();
  }

  /** Reads what is in the pipe at this moment, without waiting: whoever has stopped writing has then been heard completely. */
  drain(): void {
    while (!this.#socket.destroyed) {
      let length: number;
      try {
        length = readSync(this.#fd, drainBuffer);
      } catch {
        return; // EAGAIN: empty for now.
      }
      if (length === 0) return;
      this.onData(Buffer.from(drainBuffer.subarray(0, length)));
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** A pipe from a child: our end, and the descriptor to give to the child (close it after the spawn). */
export function pipeFromChild(): { reader: PipeReader; childFd: number } {
  const name = takeName();
  const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  const childFd = openSync(name, constants.O_WRONLY);
  unlinkSync(name);
  return { reader: new PipeReader(fd), childFd };
}

/** A pipe to a child. Its end blocks when it reads: a waiting child costs nothing and wakes at once. */
export function pipeToChild(): { writer: Socket; childFd: number } {
  const name = takeName();
  // A first reader lets the writer open; the child's own reader, which blocks, can only open when there is a writer.
  const opener = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(name, constants.O_WRONLY | constants.O_NONBLOCK);
  const childFd = openSync(name, constants.O_RDONLY);
  closeSync(opener);
  unlinkSync(name);
  const writer = new Socket({ fd, readable: false, writable: true });
  // A child that died shows by its exit; writing to it is no error of its own.
  writer.on("error", () => writer.destroy());
  writer.unref();
  return { writer, childFd };
}
