import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { aStack } from "../../stack-fixture.ts";
import { descriptions, list, rightsOf, type Statement, untrusted } from "../../stack-rights.ts";

const PAGE = "../../../docs/reference/rights.md";
const START = "<!-- rights: start -->";
const END = "<!-- rights: end -->";

const given = { alarmEmail: "ops@example.com", mailFrom: "approvals@example.com" };
const { template } = aStack(given);
const functionNames = Object.keys(descriptions) as (keyof typeof descriptions)[];

/** Every function has these. X-Ray has no resources. */
const isCommon = ({ Action }: Statement) => list(Action).every((action) => /^(logs|xray):/.test(action));

/** A readable form of a resource: names of constructs instead of intrinsic functions, and no partition, region or account. */
function resourceText(resource: unknown): string {
  if (typeof resource === "string") return resource;
  const [[intrinsic, value]] = Object.entries(resource as Record<string, unknown>) as [[string, unknown]];
  if (intrinsic === "Fn::Join") return (value as [string, unknown[]])[1].map(resourceText).join("");
  const [id, attribute] = list(value as string | string[]);
  if (id === undefined || id.startsWith("AWS::")) return "";
  return id.replace(/[0-9A-F]{8}$/, "") + (attribute === "StreamArn" ? "/stream" : "");
}

const shortened = (text: string) => text.replace(/^arn:[^:]*:(\w+):[^:]*:[^:]*:/, "$1:");
const codeText = (text: string) => `\`${text}\``;

function conditionText(condition: Statement["Condition"]): string {
  const operators = Object.entries((condition ?? {}) as Record<string, Record<string, unknown>>);
  const parts = operators.flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, values]) => {
      if (operator === "Null") return `${values === "true" ? "no" : "any"} \`${key}\``;
      const negated = operator.includes("Not") ? "is not" : "is";
      return `\`${key}\` ${negated} ${list(values).map(resourceText).map(shortened).map(codeText).join(" or ")}`;
    }),
  );
  return parts.join(", ");
}

const joined = (texts: Iterable<string>) => [...texts].sort().map(codeText).join(", ");

function addTo(groups: Map<string, Set<string>>, key: string, values: readonly string[]): void {
  groups.set(key, new Set([...(groups.get(key) ?? []), ...values]));
}

/** One row for each set of resources that a function may use in the same way. */
function rowsOf(name: keyof typeof descriptions): string[] {
  const actionsOf = new Map<string, Set<string>>();
  for (const { Action, Resource, Condition } of rightsOf(template, descriptions[name]).statements.filter((each) => !isCommon(each))) {
    for (const resource of list(Resource)) {
      addTo(actionsOf, `${shortened(resourceText(resource))} | ${conditionText(Condition)}`, list(Action));
    }
  }
  const resourcesOf = new Map<string, Set<string>>();
  for (const [where, actions] of actionsOf) {
    const [resource = "", condition = ""] = where.split(" | ");
    addTo(resourcesOf, `${joined(actions)} | ${condition}`, [resource]);
  }
  const title = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const rows = [...resourcesOf].map(([how, resources]) => {
    const [actions = "", condition = ""] = how.split(" | ");
    return `| ${title} | ${actions} | ${joined(resources)} | ${condition} |`;
  });
  return rows.sort();
}

/** The page with a regenerated table; the text around the markers is unchanged. */
async function page(): Promise<string> {
  const text = await readFile(new URL(PAGE, import.meta.url), "utf8");
  const [before, rest] = text.split(START);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} lacks its markers ${START} and ${END}.`);
  const table = ["| function | actions | resource | condition |", "|---|---|---|---|", ...functionNames.flatMap(rowsOf)].join("\n");
  return `${before}${START}\n${table}\n${END}${after}`;
}

describe("docs/reference/rights.md", () => {
  it("lists the rights of every function by resource", async () => {
    await expect(await page()).toMatchFileSnapshot(PAGE);
  });
});

describe("the roles that the local engine enforces", () => {
  const local = aStack({ ...given, local: true, baseUrl: "http://127.0.0.1:8000" }).template;
  it.each([...Object.values(descriptions), ...untrusted])("'%s' has the same rights locally as on AWS, apart from X-Ray", (description) => {
    const onAws = rightsOf(template, description).statements.filter(({ Action }) => !list(Action).includes("xray:PutTraceSegments"));
    expect(rightsOf(local, description).statements).toEqual(onAws);
  });
});

describe("services that call functions or read for them", () => {
  /** The engine reads queues and streams without a role, so nothing else checks these rights. */
  it("every function may read the queues and streams that are connected to it", () => {
    const roles = new Map(
      [...Object.values(descriptions), ...untrusted].map((description) => [description, rightsOf(template, description).statements]),
    );
    const functions = template.findResources("AWS::Lambda::Function");
    const mappings = Object.values(template.findResources("AWS::Lambda::EventSourceMapping"));
    expect(mappings.length).toBeGreaterThan(3);
    for (const { Properties } of mappings) {
      const [source, attribute] = Properties.EventSourceArn["Fn::GetAtt"];
      const { Description } = functions[Properties.FunctionName.Ref]?.Properties ?? {};
      const statements = [...roles].find(([description]) => String(Description).startsWith(description))?.[1] ?? [];
      const allowed = statements
        .filter(({ Resource }) => JSON.stringify(list(Resource)).includes(JSON.stringify({ "Fn::GetAtt": [source, attribute] })))
        .flatMap(({ Action }) => list(Action));
      const needed =
        attribute === "StreamArn"
          ? ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"]
          : ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
      expect(allowed, `${Description} reads ${source}`).toEqual(expect.arrayContaining(needed));
    }
  });

  it("every rule may invoke its function", () => {
    const permissions = Object.values(template.findResources("AWS::Lambda::Permission")).map(({ Properties }) => Properties);
    const rules = Object.entries(template.findResources("AWS::Events::Rule"));
    expect(rules.length).toBeGreaterThan(1);
    for (const [id, { Properties }] of rules) {
      for (const { Arn } of Properties.Targets) {
        expect(permissions).toContainEqual({
          Action: "lambda:InvokeFunction",
          FunctionName: Arn,
          Principal: "events.amazonaws.com",
          SourceArn: { "Fn::GetAtt": [id, "Arn"] },
        });
      }
    }
  });

  it("API Gateway may invoke the function of every method", () => {
    const permissions = Object.values(template.findResources("AWS::Lambda::Permission")).map(({ Properties }) => Properties);
    const callable = permissions
      .filter(({ Principal, Action }) => Principal === "apigateway.amazonaws.com" && Action === "lambda:InvokeFunction")
      .map(({ FunctionName }) => JSON.stringify(FunctionName));
    const uris = Object.values(template.findResources("AWS::ApiGateway::Method")).flatMap(
      ({ Properties }) => Properties.Integration?.Uri ?? [],
    );
    const called = uris.map((uri) => /\{"Fn::GetAtt":\["\w+","Arn"\]\}/.exec(JSON.stringify(uri))?.[0]);
    expect(called.length).toBeGreaterThan(10);
    expect(callable).toEqual(expect.arrayContaining([...new Set(called)]));
  });
});
