import { spawn } from "node:child_process";
import { once } from "node:events";
import { explain } from "../launch/complaint.mjs";
import { localBin, root } from "../paths.ts";
import { checkAccount } from "./check/check.ts";
import { isBlocked } from "./check/report.ts";

/** Checks the account, and deploys with the same arguments if nothing stops it. After a deployment that failed, the check shows why. */
async function deploy(args: readonly string[]): Promise<number> {
  if (isBlocked(await checkAccount(args))) {
    process.stderr.write("Nothing was deployed. To deploy regardless: npx cdk deploy with the same arguments.\n");
    return 1;
  }
  // In the same terminal, because cdk shows the rights that it will create and asks.
  const cdk = spawn(localBin("cdk"), ["deploy", ...args], { cwd: root, stdio: "inherit" });
  const [code] = (await once(cdk, "close")) as [number | null];
  if (code === 0) return 0;
  process.stdout.write("\nThe deployment failed.\n");
  await checkAccount(args);
  return code ?? 1;
}

try {
  process.exitCode = await deploy(process.argv.slice(2));
} catch (error) {
  process.exitCode = explain(error);
}
