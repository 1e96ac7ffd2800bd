import { env } from "../../../contract/env.ts";

/** The parts of a CloudFormation template that this module reads. */
export interface StackTemplate {
  Resources: Readonly<Record<string, { Type: string; Properties?: Properties }>>;
}
type Properties = Readonly<Record<string, unknown>>;

/** A function of a stack that can write to a table. */
export interface Writer {
  logicalId: string;
  /** The reservation that the template configures, if it has one. */
  reserved: number | undefined;
  timeoutS: number;
}

/** The requests of DynamoDB that change a table. */
const CHANGES = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems", "PartiQLInsert"];
const LAMBDA_DEFAULT_TIMEOUT_S = 3;

/**
 * Returns the functions of the service in a template whose roles permit changes of a table. The rights decide, so that the list includes each
 * function that a later release adds. A function whose role is not in the template counts as a writer. Functions of the app that contains the
 * service do not count.
 */
export function findWriters({ Resources: resources }: StackTemplate): Writer[] {
  const all = Object.entries(resources);
  const propertiesOf = (type: string) => all.flatMap(([, { Type, Properties = {} }]) => (Type === type ? [Properties] : []));
  const policies = propertiesOf("AWS::IAM::Policy");
  const isWriter = (roleId: string | undefined): boolean => {
    const role = roleId === undefined ? undefined : resources[roleId];
    if (!role) return true;
    const attached = policies.filter(({ Roles }) => listOf(Roles).some((each) => readReference(each) === roleId));
    const inline = listOf(role.Properties?.["Policies"]).filter(isObject);
    return [...attached, ...inline].some(({ PolicyDocument }) => allowsChanges(PolicyDocument));
  };
  return all.flatMap(([logicalId, { Type, Properties = {} }]) => {
    if (Type !== "AWS::Lambda::Function" || !isOfService(Properties) || !isWriter(readReference(Properties["Role"]))) return [];
    const { ReservedConcurrentExecutions: reserved, Timeout: timeoutS } = Properties;
    return [
      {
        logicalId,
        reserved: typeof reserved === "number" ? reserved : undefined,
        timeoutS: typeof timeoutS === "number" ? timeoutS : LAMBDA_DEFAULT_TIMEOUT_S,
      },
    ];
  });
}

/** Every function of the service has the variable with the name of its stack. */
function isOfService({ Environment }: Properties): boolean {
  const variables = isObject(Environment) ? Environment["Variables"] : undefined;
  return isObject(variables) && env.stack in variables;
}

function allowsChanges(document: unknown): boolean {
  const statements = isObject(document) ? listOf(document["Statement"]).filter(isObject) : [];
  return statements.some(({ Effect, Action }) => Effect === "Allow" && listOf(Action).some(isChange));
}

/** `dynamodb:Put*` and `*` also permit changes. */
function isChange(action: unknown): boolean {
  const [prefix = "", rest = ""] = String(action).split("*", 2);
  if (!String(action).includes("*")) return CHANGES.some((change) => action === `dynamodb:${change}`);
  return rest === "" && CHANGES.some((change) => `dynamodb:${change}`.startsWith(prefix));
}

/** Returns the logical id to which `Ref` or `Fn::GetAtt` refers. */
function readReference(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const target = value["Ref"] ?? listOf(value["Fn::GetAtt"])[0];
  return typeof target === "string" ? target : undefined;
}

const isObject = (value: unknown): value is Properties => typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
