import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";

/** Runs a command and returns both outputs. Never rejects because of the exit code; `code` is -1 if the command could not be started. */
export function run(file, args, { cwd, env = process.env, onLine = () => {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const take = (chunk) => {
      const text = String(chunk);
      output += text;
      for (const line of text.split("\n")) if (line.trim()) onLine(line.trim());
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => resolve({ code: -1, output: output + error.message }));
    child.on("close", (code) => resolve({ code: code ?? -1, output }));
  });
}

/**
 * Starts the actual command in the foreground and forwards signals. A terminal sends Ctrl-C to the whole group, so the child receives it
 * twice and ignores a second one within a second (`engine/commands/signals.ts`).
 */
export function runInForeground(file, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: "inherit" });
    const handlers = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
      const pass = () => child.kill(signal);
      process.on(signal, pass);
      return () => process.off(signal, pass);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      for (const off of handlers) off();
      resolve(code ?? 128 + (os.constants.signals[signal] ?? 0));
    });
  });
}

/** The command of npm: the one that runs this process, otherwise the one in PATH. */
export function npmCommand(env, execPath) {
  const file = env.npm_execpath;
  return file && path.basename(file) === "npm-cli.js" ? { file: execPath, args: [file] } : { file: "npm", args: [] };
}
