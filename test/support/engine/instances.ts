import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sourceFingerprint } from "../../../engine/engine/fingerprint.ts";
import { type Instance, removeInstance, startInstance } from "../../../engine/engine/instance.ts";
import { localSettings } from "../../../engine/engine/settings.ts";
import { isAlive, withLock } from "../../../engine/launch/lock.mjs";
import { ensurePythonTools, goPath } from "../../../engine/launch/venv.ts";
import { root, svcDir } from "../../../engine/paths.ts";
import { type Account, createAdmin } from "../../../engine/seed/admin.ts";
import { shared } from "../api/api.ts";
import { assertNoDeniedRequests } from "./denied-requests.ts";
import { shareGoCache } from "./go-cache.ts";
import { CLIENT } from "./identity-provider.ts";

/** An engine with the service deployed, for tests alone, and its first administrator. */
export interface TestInstance extends Instance {
  admin: Account;
}

/** Name of the secret that contains the client secret of both identity providers. */
export const LOGIN_SECRET = "svc/test-login";
/** A placeholder for the URL of the provider `acme`, which only the shared instance has. */
const ACME_ISSUER = "http://acme.invalid";
const login = { clientId: CLIENT.clientId, clientSecretName: LOGIN_SECRET };
const logins = [
  { name: "acme", displayName: "Acme", ...login, issuer: ACME_ISSUER },
  // No server listens there.
  { name: "silent", ...login, issuer: "http://127.0.0.1:9" },
];

const snapshotsDir = path.join(svcDir, "test-snapshots");
/** Marks a complete snapshot. Its modification time is the last use. */
const COMPLETE = "complete";
const silently = () => {};
let made = 0;

/** Folders contain the id of their process, so that the next run can delete those of a killed one. */
export const newInstanceDir = () => path.join(svcDir, `test-${process.pid}-${made++}`);

/**
 * Deploys once for each version of the sources and settings, and returns the folder of the stopped instance. All test instances start from
 * a copy of it, in this run and in later ones.
 */
export async function ensureSnapshot(): Promise<string> {
  const tools = await ensurePythonTools(silently);
  const settings = await localSettings({ url: "", workDir: "", tools, go: await goPath(tools, silently) });
  const dir = path.join(snapshotsDir, sourceFingerprint(root, { ...settings, logins }).slice(0, 16));
  return withLock(path.join(svcDir, "test-snapshot.lock"), async () => {
    const complete = path.join(dir, COMPLETE);
    if (!existsSync(complete)) {
      await removeOldSnapshots();
      // The state names its folder as text, so it is deployed where its copies expect it.
      const instance = await startInstance({ dir, logins });
      await instance.stop();
      assertNoDeniedRequests(dir);
      rmSync(path.join(dir, "cdk.out"), { recursive: true, force: true });
    }
    writeFileSync(complete, "");
    return dir;
  });
}

/** Removes unfinished snapshots and all but the latest used: another run may be starting instances from that one. */
async function removeOldSnapshots(): Promise<void> {
  if (!existsSync(snapshotsDir)) return;
  const usedMs = (dir: string) => statSync(path.join(dir, COMPLETE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const dirs = readdirSync(snapshotsDir).map((name) => path.join(snapshotsDir, name));
  const [latest] = dirs.toSorted((a, b) => usedMs(b) - usedMs(a));
  for (const dir of dirs) if (dir !== latest || usedMs(dir) === 0) await removeInstance(dir);
}

/** Starts a separate instance from the snapshot of the run. */
export function startTestInstance(): Promise<TestInstance> {
  return startFromSnapshot(shared().snapshot);
}

export async function startFromSnapshot(
  snapshot: string,
  { acmeIssuer = ACME_ISSUER, statesEndpoint }: { acmeIssuer?: string; statesEndpoint?: string | undefined } = {},
): Promise<TestInstance> {
  const dir = newInstanceDir();
  shareGoCache(path.join(dir, "work"));
  const instance = await startInstance({ dir, statesEndpoint, snapshot: { dir: snapshot, replace: { [ACME_ISSUER]: acmeIssuer } } });
  try {
    const admin = await createAdmin({
      endpoint: instance.endpoint,
      setupFunction: instance.outputs["SetupFunction"],
      email: "admin@example.com",
      workspace: { id: "test", name: "Tests" },
      tokenLabel: "tests",
    });
    return {
      ...instance,
      admin,
      async stop() {
        // Its state is removed, so the engine need not write it.
        await instance.stopEngine("kill");
        await instance.stop();
        try {
          assertNoDeniedRequests(dir);
        } finally {
          await removeInstance(dir);
        }
      },
    };
  } catch (error) {
    await instance.stop();
    await removeInstance(dir);
    throw error;
  }
}

export async function removeAbandonedInstances(): Promise<void> {
  mkdirSync(svcDir, { recursive: true });
  for (const name of readdirSync(svcDir)) {
    const pid = Number(/^test-(\d+)-(?:\d+|services)$/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid) && !isAlive(pid)) await removeInstance(path.join(svcDir, name));
  }
}
