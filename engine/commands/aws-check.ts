import { explain } from "../launch/complaint.mjs";
import { checkAccount } from "./check/check.ts";
import { isBlocked } from "./check/report.ts";

try {
  process.exitCode = isBlocked(await checkAccount(process.argv.slice(2))) ? 1 : 0;
} catch (error) {
  process.exitCode = explain(error);
}
