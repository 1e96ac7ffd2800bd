import { mkdirSync, mkdtempSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { describePrivateTmp } from "./conformance/private-tmp.ts";
import { visibleBelowTmp } from "./shared/process/tmp.ts";

/** The work directory of a checkout that lies below /tmp. */
const checkout = mkdtempSync("/tmp/svc-checkout-");
const workDir = join(checkout, "work");
mkdirSync(workDir);
process.env["SVC_WORK_DIR"] = workDir;

describePrivateTmp(checkout);

it("a job sees a checkout that is in /tmp", () => {
  expect(visibleBelowTmp()).toContain(basename(checkout));
});
