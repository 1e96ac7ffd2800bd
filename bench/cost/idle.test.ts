import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { aStack } from "../../lib/stack-fixture.ts";
import { idleRows, type PricedTemplate } from "./idle.ts";

const PAGE = "../../docs/aws.md";
const START = "<!-- idle: start -->";
const END = "<!-- idle: end -->";

const templateOf = (given: Record<string, unknown>) => aStack(given).template.toJSON() as PricedTemplate;
const byDefault = templateOf({ alarmEmail: "ops@example.com" });
const totalOf = (template: PricedTemplate) => idleRows(template).at(-1)?.dollars;
const withResource = (Type: string, Properties = {}): PricedTemplate => ({
  Resources: { ...byDefault.Resources, Added: { Type, Properties } },
});

/** The page with a regenerated table; the text around the markers is unchanged. */
async function page(): Promise<string> {
  const text = await readFile(new URL(PAGE, import.meta.url), "utf8");
  const [before, rest] = text.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} lacks its markers ${START} and ${END}.`);
  const rows = idleRows(byDefault).map(
    ({ label, dollars, withAllowances }) => `| ${label} | ${dollars.toFixed(2)} | ${withAllowances.toFixed(2)} |`,
  );
  const table = ["| what | $ | with free allowances left |", "|---|---|---|", ...rows].join("\n");
  return `${before}${START}\n${table}\n${END}${after}`;
}

describe("the bill of an idle stack", () => {
  it("is below six dollars a month", () => {
    expect(totalOf(byDefault)).toBeLessThan(6);
  });

  it("is the one in docs/aws.md", async () => {
    await expect(await page()).toMatchFileSnapshot(PAGE);
  });

  it("contains the dashboard only if the setting asks for it", () => {
    expect(totalOf(templateOf({ alarmEmail: "ops@example.com", dashboard: true }))).toBeCloseTo((totalOf(byDefault) ?? 0) + 3);
  });

  it("counts each metric of an alarm, each queue that Lambda polls, and no stream", () => {
    const more = (template: PricedTemplate) => (totalOf(template) ?? 0) - (totalOf(byDefault) ?? 0);
    const Metrics = [{ Expression: "m0+m1" }, { MetricStat: {} }, { MetricStat: {} }];
    expect(more(withResource("AWS::CloudWatch::Alarm", { Metrics }))).toBeCloseTo(0.2);
    expect(more(withResource("AWS::CloudWatch::Alarm", { MetricName: "Errors" }))).toBeCloseTo(0.1);
    expect(more(withResource("AWS::Lambda::EventSourceMapping", { EventSourceArn: { "Fn::GetAtt": ["Queue", "Arn"] } }))).toBeCloseTo(
      0.259,
    );
    expect(more(withResource("AWS::Lambda::EventSourceMapping", { EventSourceArn: { "Fn::GetAtt": ["Table", "StreamArn"] } }))).toBe(0);
  });

  it.each([
    ["AWS::EC2::NatGateway", {}],
    ["AWS::Events::Rule", { ScheduleExpression: "rate(1 hour)" }],
    ["AWS::CloudWatch::Alarm", { Metrics: [{ Expression: 'SELECT SUM(Errors) FROM "AWS/Lambda" GROUP BY FunctionName' }] }],
  ])("refuses %s %o, whose price it does not know", (type, properties) => {
    expect(() => idleRows(withResource(type, properties))).toThrow("knows no price for");
  });
});
