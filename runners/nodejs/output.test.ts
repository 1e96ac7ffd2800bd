import { afterAll, beforeAll, expect, it } from "vitest";
import { type Runner, startRunner } from "../conformance/harness.ts";

let runner: Runner;
beforeAll(async () => {
  runner = await startRunner("nodejs");
});
afterAll(() => runner.close());

it("the output is complete and in order while signals interrupt its writing", async () => {
  const code = `import { spawn } from "node:child_process"; import process from "node:process";
    export function main() {
      process.on("SIGUSR2", () => {});
      const signaling = spawn("sh", ["-c", "while kill -USR2 " + process.pid + " 2>/dev/null; do :; done"], { stdio: "ignore" });
      for (let n = 0; n < 4; n++) {
        process.stdout.write("y".repeat(200000) + "\\n"); console.log("log " + n); process.stderr.write("end " + n + "\\n");
      }
      signaling.kill("SIGKILL");
    }`;
  let sent = "";
  runner.onBeat = ({ logs }) => {
    sent += logs?.text ?? "";
    return { go: "on", watched: false };
  };
  const { logs } = await runner.run({ code });
  const all = sent + logs.text;
  const expected = Array.from({ length: 4 }, (_, n) => `${"y".repeat(200_000)}\nlog ${n}\nend ${n}\n`).join("");
  // Compared as a boolean, because the difference of two long texts is unreadable.
  expect(all.length).toBe(expected.length);
  expect(all === expected).toBe(true);
});
