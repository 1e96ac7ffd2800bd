import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { settings } from "../settings.ts";
import { helpers } from "./strays.ts";

/*
 * Children get named pipes, because the "pipes" that Node makes for a child are sockets: two of its file descriptors cannot share one (and the
 * order of stdout and stderr is lost), and a socket cannot be opened again as /dev/stderr or /dev/fd/3. The pipes are created in batches in advance.
 * Each name is removed as soon as both ends are open, so that no other process can open the same pipe.
 */

const BATCH = 24;
const LOW = 8;
const names: string[] = [];
/** Makes names unique, because pipes of an earlier supervisor with the same process id may still exist. */
const run = randomBytes(4).toString("hex");
let pipeCount = 0;
let refilling = false;

function newNames(): string[] {
  return Array.from({ length: BATCH }, () => join(settings().workDir, "pipes", `${process.pid}-${run}-${++pipeCount}`));
}

function takeName(): string {
  const name = names.pop();
  if (name !== undefined) return name;
  const batch = newNames();
  execFileSync("mkfifo", ["-m", "600", ...batch], { stdio: "ignore" });
  names.push(...batch);
  return takeName();
}

/** Linux opens a pipe a second time by its descriptor, so that a script cannot replace it in between. Other systems need the name. */
const HAS_DESCRIPTORS = existsSync("/proc/self/fd");

interface OpenPipe {
  fd: number;
  /** Opens the other end. */
  path: string;
  name: string;
}

/** Opens the next pipe for reading, without waiting. A script may remove or replace a pipe at any time, so the open file is checked, and not the name. */
function openNext(): OpenPipe {
  for (;;) {
    const name = takeName();
    const fd = openUnlessGone(name);
    if (fd === undefined) continue;
    if (fstatSync(fd).isFIFO()) return { fd, path: HAS_DESCRIPTORS ? `/proc/self/fd/${fd}` : name, name };
    closeSync(fd);
  }
}

function openUnlessGone(name: string): number | undefined {
  try {
    return openSync(name, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    // A script has removed the pipe, or put a link in its place.
    return undefined;
  }
}

function removeName(name: string): void {
  try {
    unlinkSync(name);
  } catch {
    // A script has removed it, or the whole work directory.
  }
}

/** Creates the next batch of pipes if few are left. Called between runs, so that no run waits for it. */
export function refillPipes(): void {
  if (refilling || names.length >= LOW) return;
  refilling = true;
  const batch = newNames();
  const helper = execFile("mkfifo", ["-m", "600", ...batch], (error) => {
    refilling = false;
    helpers.delete(helper.pid ?? 0);
    if (!error) names.push(...batch);
  });
  helpers.add(helper.pid ?? 0);
  helper.unref();
}

/** Removes the pipes that were created but not used. */
export function removeUnusedPipes(): void {
  for (const name of names.splice(0)) removeName(name);
}

const drainBuffer = Buffer.allocUnsafeSlow(65_536);

/** The supervisor's end of a pipe to which a child writes. */
export class PipeReader {
  /** Receives every chunk in order. It is replaced when the pipe serves the next run. */
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

  /** Reads the pipe's current content without waiting. All output of a process that has stopped writing is then read. */
  drain(): void {
    while (!this.#socket.destroyed) {
      let length: number;
      try {
        length = readSync(this.#fd, drainBuffer);
      } catch {
        return; // EAGAIN: the pipe is empty.
      }
      if (length === 0) return;
      this.onData(Buffer.from(drainBuffer.subarray(0, length)));
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Opens a pipe from a child: the supervisor's end, and the descriptor for the child (close it after the spawn). */
export function pipeFromChild(): { reader: PipeReader; childFd: number } {
  const { fd, path, name } = openNext();
  const childFd = openSync(path, constants.O_WRONLY);
  removeName(name);
  return { reader: new PipeReader(fd), childFd };
}

/** Opens a pipe to a child. The child's end blocks on reading: a waiting child uses no CPU time and wakes at once. */
export function pipeToChild(): { writer: Socket; childFd: number } {
  // A first reader lets the writer open; the child's own reader, which blocks, can only open when there is a writer.
  const { fd: opener, path, name } = openNext();
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const childFd = openSync(path, constants.O_RDONLY);
  closeSync(opener);
  removeName(name);
  const writer = new Socket({ fd, readable: false, writable: true });
  // The exit of a dead child is handled elsewhere, so a failed write to it is not reported.
  writer.on("error", () => writer.destroy());
  writer.unref();
  return { writer, childFd };
}
