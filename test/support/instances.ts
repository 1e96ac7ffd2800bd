import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { type Instance, type InstanceOptions, removeInstance, startInstance } from "../../engine/engine/instance.ts";
import { isAlive } from "../../engine/launch/lock.mjs";
import { svcDir } from "../../engine/paths.ts";
import { type Account, createAdmin } from "../../engine/seed/admin.ts";

/** An engine with the service deployed, for tests alone, and its first administrator. */
export interface TestInstance extends Instance {
  admin: Account;
}

let made = 0;

/** Folders are named by the process that made them, so that the next run finds what a killed one left. */
export async function startTestInstance({ logins }: Pick<InstanceOptions, "logins"> = {}): Promise<TestInstance> {
  const dir = path.join(svcDir, `test-${process.pid}-${made++}`);
  const instance = await startInstance({ dir, ...(logins ? { logins } : {}) });
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
        await instance.stop();
        await removeInstance(dir);
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
