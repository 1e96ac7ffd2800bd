// The entry of every `npm run` command. Plain JavaScript without dependencies, for any Node from 18 on: it installs the Node version of the
// project and the packages, then runs `engine/<command>.ts`.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { commands, readOptions, usageOf } from "./launch/commands.mjs";
import { Complaint, explain } from "./launch/complaint.mjs";
import { withLock } from "./launch/lock.mjs";
import { dropHeaders, isInstalled, majorOf, NODE_MAJOR, nodeBinary, nodePackageFor } from "./launch/node.mjs";
import { missingPackages } from "./launch/packages.mjs";
import { inPhase } from "./launch/progress.mjs";
import { npmCommand, run, runInForeground } from "./launch/run.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const svcDir = path.join(root, ".svc");

async function main() {
  const [name = "", ...args] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new Complaint(`The command is missing: node engine/launch.mjs ${Object.keys(commands).join(" | ")}.`);
  if (majorOf(process.versions.node) < 18) {
    throw new Complaint(
      `This Node is ${process.versions.node}, but the launcher needs version 18 or later. Install it and run the command again.`,
    );
  }
  if (command.usage && args.some((arg) => arg === "--help" || arg === "-h")) {
    process.stdout.write(`${usageOf(command)}\n`);
    return 0;
  }
  // Checked before anything is installed.
  if (command.options) readOptions(name, args);
  fs.mkdirSync(svcDir, { recursive: true });
  const node = await findNode();
  if (command.packages) await installPackages();
  const env = {
    ...process.env,
    PATH: [path.dirname(node), process.env.PATH].filter(Boolean).join(path.delimiter),
    SVC_LAUNCHED_MS: String(startedMs),
  };
  // Node 24.0, the newest that npm has for one platform, still warns about running TypeScript.
  return runInForeground(node, ["--disable-warning=ExperimentalWarning", path.join(root, command.file), ...args], { cwd: root, env });
}

async function findNode() {
  const nodePackage = nodePackageFor(process.versions.node, process.platform, process.arch);
  if (nodePackage === undefined) return process.execPath;
  if (nodePackage === null) {
    throw new Complaint(
      `The project runs on Node ${NODE_MAJOR}, and npm has no Node for ${process.platform}-${process.arch}. Install Node ${NODE_MAJOR} and run the command again.`,
    );
  }
  if (!isInstalled(svcDir, nodePackage)) {
    await inPhase("install", `Node ${nodePackage.version}`, (phase) =>
      withLock(
        path.join(svcDir, "node.lock"),
        async () => {
          if (isInstalled(svcDir, nodePackage)) return;
          const spec = `${nodePackage.name}@${nodePackage.version}`;
          await npm(
            ["install", "--prefix", path.join(svcDir, "node"), "--no-save", "--ignore-scripts", spec],
            `install Node ${NODE_MAJOR}`,
          );
          dropHeaders(svcDir, nodePackage);
        },
        (pid) => phase.update(`Node ${nodePackage.version} (process ${pid} installs it)`),
      ),
    );
  }
  return nodeBinary(svcDir, nodePackage);
}

async function installPackages() {
  if (missingPackages(root).length === 0) return;
  await inPhase("install", "packages from package-lock.json", (phase) =>
    withLock(
      path.join(svcDir, "packages.lock"),
      async () => {
        const missing = missingPackages(root);
        if (missing.length === 0) return;
        // Install scripts of packages are disabled, because none is needed, and `npm run verify` installs the git hooks. `npm ci` is not
        // used: if a registry lacks an optional package of another platform, the lock file has no entry for it, and `npm ci` rejects the
        // file. This command installs the same versions, changes neither file, and leaves matching packages in place, so that a running
        // `npm run up` keeps working.
        await npm(["install", "--no-save", "--ignore-scripts"], "install the packages");
        const still = missingPackages(root);
        if (still.length > 0) {
          throw new Complaint(`npm did not install ${still.slice(0, 3).join(", ")}. Run npm install and read its output.`);
        }
        phase.update(`${missing.length} packages from package-lock.json`);
      },
      (pid) => phase.update(`packages (process ${pid} installs them)`),
    ),
  );
}

async function npm(args, purpose) {
  assertDiskSpace();
  const { file, args: before } = npmCommand(process.env, process.execPath);
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const { code, output } = await run(file, [...before, ...args, ...quiet], { cwd: root });
  if (code === 0) return;
  if (code === -1) throw new Complaint("npm was not found. Install it together with Node and run the command again.");
  // npm prints the error first and advice after it.
  const excerpt = output.trim().split("\n").slice(0, 8).join("\n  ");
  throw new Complaint(`npm could not ${purpose}. Fix the reported problem and run the command again.\n  ${excerpt}`);
}

/** Disk space for a first installation and for the engine's state. */
const NEEDED_BYTES = 1.5e9;

function assertDiskSpace() {
  if (!fs.statfsSync) return;
  const { bavail, bsize } = fs.statfsSync(svcDir);
  if (bavail * bsize >= NEEDED_BYTES) return;
  throw new Complaint(
    `The disk of ${root} has ${Math.round((bavail * bsize) / 1e6)} MB left, but 1500 MB are needed. Free some space and run the command again.`,
  );
}

const startedMs = Date.now();
try {
  process.exitCode = await main();
} catch (error) {
  process.exitCode = explain(error);
}
