import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commands, readOptions } from "./commands.mjs";

const root = path.join(import.meta.dirname, "../..");
/** Runs the launcher as npm does. Nothing may be installed or started, so the command ends at once. */
const launch = (...args) =>
  new Promise((resolve) => {
    execFile(process.execPath, ["engine/launch.mjs", ...args], { cwd: root, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
const checked = Object.entries(commands).filter(([, { options }]) => options !== undefined);

describe("the commands of the checkout", () => {
  it("are those of package.json, each with a usage that names its options", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    const launched = new Set(Object.values(scripts).flatMap((line) => /engine\/launch\.mjs (\S+)/.exec(line)?.[1] ?? []));
    expect([...launched].toSorted()).toEqual(Object.keys(commands).toSorted());
    for (const { usage, options } of checked.map(([, command]) => command)) {
      for (const option of Object.keys(options)) expect(usage).toContain(`--${option}`);
    }
  });

  it.each(Object.entries(commands).filter(([, { usage }]) => usage))("%s answers --help with its usage", async (name, { usage }) => {
    expect(await launch(name, "--help")).toEqual({ code: 0, output: expect.stringContaining(`Usage: ${usage}`) });
  });

  it.each(checked)("%s refuses a misspelt option and an argument too many with its usage, without a stack", async (name, { usage }) => {
    for (const args of [["--nonsens"], ["--nonsens=1"], ["one", "two"]]) {
      const { code, output } = await launch(name, ...args);
      expect([code, output]).toEqual([1, expect.stringContaining(`Usage: ${usage}`)]);
      expect(output).not.toMatch(/^ {4}at /m);
    }
  });

  it("have options with and without a value", () => {
    expect(readOptions("up", ["--port", "8010"])).toMatchObject({ texts: { port: "8010" } });
    expect(readOptions("logs", ["worker", "--lines=3"])).toMatchObject({ argument: "worker", texts: { lines: "3" } });
    expect(readOptions("aws-destroy", ["--force"]).flags).toEqual({ "delete-data": false, force: true });
    expect(() => readOptions("up", ["--port"])).toThrow("Usage: npm run up");
  });
});
