import { mkdirSync, mkdtempSync } from "node:fs";
import { join, resolve } from "node:path";
import { describePrivateTmp } from "./conformance/private-tmp.ts";

/** The work directory is in the checkout, as in the local engine. */
const svcDir = join(resolve(import.meta.dirname, ".."), ".svc");
mkdirSync(svcDir, { recursive: true });
const workDir = mkdtempSync(join(svcDir, "test-private-tmp-"));
process.env["SVC_WORK_DIR"] = workDir;
describePrivateTmp(workDir);
