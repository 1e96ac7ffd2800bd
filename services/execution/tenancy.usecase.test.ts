import { expect, it } from "vitest";
import type { Tenancy } from "../../core/jobs/tenant.ts";
import { success } from "../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld } from "../../test/support/use-cases/world-jobs.ts";
import { claimJob } from "../jobs/lifecycle/claim.ts";
import { invokeRunner } from "./invoke-runner.ts";

it("with the tenancy of a workspace, its users share the tenant of a runner, and no process", async () => {
  const { world, hash } = await newScriptWorld();
  const executable = { runner: "bun", artefact: { key: "k", sha256: hash }, params: [], dedicated: true } as const;
  const called = async (username: string, tenancy: Tenancy) => {
    const fields = { hash, createdBy: username, permissionedAs: `u/${username}`, email: `${username}@example.com` };
    const job = (await claimJob(world.deps, (await addJob(world, fields)).id)) ?? expect.fail();
    let call: { tenant: string; hostKey: string } | undefined;
    const functions = {
      ...world.deps.functions,
      async invokeRunner(_: string, { hostKey }: { hostKey: string }, tenant: string) {
        call = { tenant, hostKey };
        return success(1);
      },
    };
    await invokeRunner({ ...world.deps, tenancy, functions }, job, { ...executable, params: [] }, { args: {} });
    return call ?? expect.fail();
  };
  const [ann, bob] = [await called("ann", "workspace"), await called("bob", "workspace")];
  expect(ann.tenant).toBe(bob.tenant);
  expect(ann.hostKey).not.toBe(bob.hostKey);
  expect((await called("ann", "identity")).tenant).not.toBe((await called("bob", "identity")).tenant);
  expect((await called("ann", "identity")).hostKey).toBe(ann.hostKey);
});
