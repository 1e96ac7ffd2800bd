import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, readdirSync, readSync, rmSync, symlinkSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

/** Called after a file was opened, as a script that runs at the same time. */
let onOpen: (name: string) => void = () => undefined;
vi.mock("node:fs", async (load) => {
  const fs = await load<typeof import("node:fs")>();
  const openSync: typeof fs.openSync = (file, ...more) => {
    const fd = fs.openSync(file, ...more);
    onOpen(String(file));
    return fd;
  };
  return { ...fs, openSync };
});

let folder: string;
let pipes: typeof import("./pipes.ts");
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-pipes-"));
  vi.stubEnv("SVC_WORK_DIR", folder);
  pipes = await import("./pipes.ts");
});
afterEach(() => {
  onOpen = () => undefined;
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const replacements: Record<string, (name: string) => void> = {
  "removes it": () => undefined,
  "puts a file in its place": (name) => writeFileSync(name, ""),
  "puts a link in its place": (name) => symlinkSync("/etc/passwd", name),
  "puts another pipe in its place": (name) => execFileSync("mkfifo", [name]),
};
const table = Object.entries(replacements);

/** Replaces each pipe that waits for its use. */
function replaceAll(replace: (name: string) => void): void {
  const names = readdirSync(join(folder, "pipes")).map((name) => join(folder, "pipes", name));
  for (const name of names) {
    unlinkSync(name);
    replace(name);
  }
}

async function expectFromChild(): Promise<void> {
  const { reader, childFd } = pipes.pipeFromChild();
  const received = new Promise<string>((resolve) => {
    reader.onData = (chunk) => resolve(chunk.toString());
  });
  writeSync(childFd, "result");
  expect(await received).toBe("result");
  reader.close();
  closeSync(childFd);
}

async function expectToChild(): Promise<void> {
  const { writer, childFd } = pipes.pipeToChild();
  await new Promise<void>((resolve) => writer.write("order", () => resolve()));
  const buffer = Buffer.alloc(10);
  expect(buffer.toString("utf8", 0, readSync(childFd, buffer))).toBe("order");
  writer.destroy();
  closeSync(childFd);
}

describe.runIf(process.platform === "linux")("both ends of a pipe belong together, even if a script", () => {
  it.each(table)("%s before it is used", async (_title, replace) => {
    await expectFromChild();
    replaceAll(replace);
    await expectFromChild();
    replaceAll(replace);
    await expectToChild();
  });

  it.each(table)("%s while it is opened", async (_title, replace) => {
    const replaceNow = (name: string) => {
      if (!name.startsWith(folder)) return;
      onOpen = () => undefined;
      unlinkSync(name);
      replace(name);
    };
    onOpen = replaceNow;
    await expectFromChild();
    onOpen = replaceNow;
    await expectToChild();
  });
});
