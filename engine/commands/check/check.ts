import { readAccount } from "./account.ts";
import { type Finding, judge } from "./findings.ts";
import { report } from "./report.ts";
import { readSettings } from "./settings.ts";

/** Reads the account, prints the report, and returns the findings. The account does not change. */
export async function checkAccount(args: readonly string[]): Promise<readonly Finding[]> {
  const { input, config, profile } = await readSettings(args);
  const account = await readAccount(config, profile);
  const findings = judge(account, config);
  process.stdout.write(`Region ${account.region}\n${report(findings, input)}`);
  return findings;
}
