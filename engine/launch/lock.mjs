import fs from "node:fs";
import path from "node:path";

/** A lock that was not touched for this long is abandoned, even if a process has the holder's id. */
const ABANDONED_MS = 60_000;
const TOUCH_MS = 5_000;
const POLL_MS = 200;

/**
 * Runs `work` while this process holds the lock file, so that two launchers in one checkout never install into the same folder. `onWait` is
 * called once with the holder's process id if the lock is taken.
 */
export async function withLock(file, work, onWait = () => {}) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const mine = `${process.pid} ${Date.now()} ${Math.random()}`;
  let isReported = false;
  while (!tryTake(file, mine)) {
    const seen = readLock(file);
    if (seen !== undefined && isAbandoned(file, seen)) {
      removeAbandoned(file, seen);
      continue;
    }
    if (!isReported && seen !== undefined) onWait(holderOf(seen));
    isReported = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const touch = setInterval(() => {
    try {
      fs.utimesSync(file, new Date(), new Date());
    } catch {
      // .svc/ was removed during the installation. The installation itself will report it.
    }
  }, TOUCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    if (readLock(file) === mine) fs.rmSync(file, { force: true });
  }
}

function tryTake(file, mine) {
  try {
    fs.writeFileSync(file, mine, { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function readLock(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

const holderOf = (text) => Number.parseInt(text, 10);

function isAbandoned(file, text) {
  if (text !== "" && !isAlive(holderOf(text))) return true;
  try {
    return Date.now() - fs.statSync(file).mtimeMs > ABANDONED_MS;
  } catch {
    return false;
  }
}

/**
 * Two waiting processes may consider the same lock abandoned. The rename decides which of them removes it; a process that has renamed a newer
 * lock by mistake restores it.
 */
function removeAbandoned(file, seen) {
  const aside = `${file}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
  } catch {
    return;
  }
  if (readLock(aside) !== seen) {
    try {
      fs.linkSync(aside, file);
    } catch {
      // A third process has taken the lock.
    }
  }
  fs.rmSync(aside, { force: true });
}

/** Returns whether a process with this id exists, including processes that may not be signalled. */
export function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
