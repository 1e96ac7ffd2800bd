const domains: Readonly<Record<string, string>> = { "aws-cn": "console.amazonaws.cn", "aws-us-gov": "console.amazonaws-us-gov.com" };

/** Returns the URL of a state machine or an execution in the Step Functions console of its region. */
export function buildConsoleUrl(arn: string): string {
  const [, partition = "", , region = "", , resource] = arn.split(":");
  const domain = domains[partition] ?? `${region}.console.aws.amazon.com`;
  const page = resource === "execution" ? "v2/executions/details" : "statemachines/view";
  return `https://${domain}/states/home?region=${region}#/${page}/${arn}`;
}
