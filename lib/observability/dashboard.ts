import { Duration } from "aws-cdk-lib";
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IWidget,
  MathExpression,
  Stats,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { endedJobOutcomes, METRIC_NAMESPACE, type Outcome } from "../../contract/deployment/metrics.ts";
import { listGraphs, type Observed, outcomeMetric, type Section } from "./watches.ts";

const WIDTH = 24;
const HALF = { width: 12, height: 6 } as const;

/** The question that each section answers, in the order in which an operator asks them. */
const sections: Record<Section | "costs", { title: string; hint: string }> = {
  service: { title: "Is it working?", hint: "Any red alarm above names its cause. Errors of a function: its log, the link in its graph." },
  jobs: {
    title: "Jobs",
    hint: "A growing age with no errors means too little concurrency. Failed scripts concern their owners, not the operator.",
  },
  flows: { title: "Flows", hint: "A failed execution is replaced by the next one. Look here if flows end late." },
  approvals: { title: "Approvals", hint: "Notices that fail are retried for more than a day; the run of the approval shows the reason." },
  limits: { title: "Limits and quotas", hint: "Anything above 0 here makes jobs late. Quotas: docs/aws.md." },
  costs: { title: "Costs", hint: "The four quantities that grow with use. Prices: docs/aws.md; the bill: Cost Explorer." },
};

/** Creates the dashboard: a row with the state of all alarms, then one section for each question, with the graphs of its alarms. */
export function createDashboard(
  scope: Construct,
  observed: Observed,
  alarms: readonly { section: Section; title: string; alarm: Alarm }[],
): Dashboard {
  const dashboard = new Dashboard(scope, "Dashboard", { defaultInterval: Duration.hours(3) });
  dashboard.addWidgets(new AlarmStatusWidget({ title: "Alarms", alarms: alarms.map(({ alarm }) => alarm), width: WIDTH, height: 6 }));
  const extra = listExtraGraphs(observed);
  for (const [section, { title, hint }] of Object.entries(sections) as [Section | "costs", { title: string; hint: string }][]) {
    dashboard.addWidgets(new TextWidget({ markdown: `## ${title}\n${hint}`, width: WIDTH, height: 2 }));
    const graphs = alarms
      // The errors of all functions share one graph.
      .filter((each) => each.section === section && !each.title.startsWith("Errors: "))
      .map(
        ({ title: name, alarm }) =>
          new GraphWidget({ title: name, left: [alarm.metric], leftAnnotations: [alarm.toAnnotation()], ...HALF }),
      );
    const others = listGraphs(observed)
      .filter((each) => each.section === section)
      .map(({ title: name, metric }) => new GraphWidget({ title: name, left: [metric], ...HALF }));
    const all: IWidget[] = [...extra[section], ...graphs, ...others];
    for (let index = 0; index < all.length; index += 2) dashboard.addWidgets(...all.slice(index, index + 2));
  }
  return dashboard;
}

/**
 * Graphs without an alarm. Most search for the stack's name, with which CloudFormation begins the names of functions, log groups and buckets: a
 * dashboard that lists more than 50 metrics is not free. A search for `svc` also finds a stack such as `staging-svc`.
 */
function listExtraGraphs({ stackName, tables }: Observed): Record<Section | "costs", GraphWidget[]> {
  const ofFunctions = (metricName: string, statistic = "Sum") =>
    search(`{AWS/Lambda,FunctionName} MetricName="${metricName}" ${stackName}`, statistic);
  const overAllKinds = (metricName: Outcome) =>
    new MathExpression({
      expression: `SUM(SEARCH('{${METRIC_NAMESPACE},kind,service} MetricName="${metricName}" service="${stackName}"', 'Sum', 60))`,
      usingMetrics: {},
      label: metricName,
      period: Duration.minutes(1),
    });
  const graph = (title: string, left: MathExpression[]) => new GraphWidget({ title, left, ...HALF });
  const hourly = { period: Duration.hours(1), statistic: Stats.SUM };
  return {
    service: [graph("Errors by function", [ofFunctions("Errors")])],
    jobs: [graph("Ended jobs", Object.values(endedJobOutcomes).map(overAllKinds))],
    flows: [new GraphWidget({ title: "Retried steps", left: [outcomeMetric(stackName, "StepRetries")], ...HALF })],
    approvals: [],
    limits: [
      graph("Throttled functions of this stack", [ofFunctions("Throttles")]),
      graph("Concurrent executions by function", [ofFunctions("ConcurrentExecutions", "Maximum")]),
    ],
    costs: [
      graph("Duration of functions (ms)", [ofFunctions("Duration")]),
      new GraphWidget({
        title: "Units of DynamoDB in an hour",
        left: Object.values(tables).flatMap((table) => [
          table.metricConsumedWriteCapacityUnits(hourly),
          table.metricConsumedReadCapacityUnits(hourly),
        ]),
        ...HALF,
      }),
      graph("Ingested logs (bytes)", [search(`{AWS/Logs,LogGroupName} MetricName="IncomingBytes" ${stackName}`, "Sum")]),
      graph("Stored objects (bytes)", [
        search(`{AWS/S3,BucketName,StorageType} MetricName="BucketSizeBytes" ${stackName}`, "Average", 86_400),
      ]),
    ],
  };
}

function search(terms: string, statistic: string, periodS = 60): MathExpression {
  return new MathExpression({
    expression: `SEARCH('${terms}', '${statistic}', ${periodS})`,
    usingMetrics: {},
    label: "",
    period: Duration.seconds(periodS),
  });
}
