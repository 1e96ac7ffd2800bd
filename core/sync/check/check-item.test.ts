import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { formatYaml } from "../files/yaml.ts";
import type { SyncItem } from "../item.ts";
import { checkItem } from "./check-item.ts";
import { fileFields, itemSchemas } from "./item-schemas.ts";

/** The required fields of each kind. */
const required: Readonly<Record<string, Record<string, unknown>>> = {
  folder: { owners: ["u/ann"], extra_perms: {} },
  settings: { name: "Demo" },
  user: { username: "ann", role: "developer" },
  group: { summary: "", admins: [], members: ["u/ann"] },
  resource_type: { schema: {} },
  variable: { value: "hunter2", is_secret: true, description: "" },
  resource: { value: { password: "hunter2" }, resource_type: "any" },
  script: { summary: "", description: "", lock: "" },
  flow: { summary: "", value: { modules: [] } },
  app: { summary: "", value: {}, policy: { execution_mode: "publisher" } },
  schedule: { schedule: "0 0 3 * * *", timezone: "UTC", script_path: "f/t/a", is_flow: false, args: {} },
  http_trigger: { script_path: "f/t/a", is_flow: false, route_path: "a", http_method: "get" },
  sqs_trigger: { script_path: "f/t/a", is_flow: false, queue_url: "https://sqs.eu-west-1.amazonaws.com/123456789012/orders" },
  aws_trigger: { script_path: "f/t/a", is_flow: false, source: "sns", topic_arn: "arn:aws:sns:eu-west-1:123456789012:orders" },
  email_trigger: { script_path: "f/t/a", is_flow: false, local_part: "orders" },
};

const itemOf = (kind: string, value: Record<string, unknown>): SyncItem => ({
  kind,
  path: kind === "folder" || kind === "resource_type" ? "ops" : "f/t/a",
  value,
  ...(kind === "script" ? { language: "bash", content: "echo" } : {}),
});

function check(kind: string, value: Record<string, unknown>) {
  const text = formatYaml(value);
  const { problems, warnings } = checkItem(itemOf(kind, value), { name: "file.yaml", text });
  const lineOf = (line: number | undefined) => text.split("\n")[(line ?? 0) - 1] ?? "";
  return { problems: problems.map((one) => ({ ...one, text: lineOf(one.line) })), warnings };
}

interface Inner {
  shape?: Record<string, z.ZodType>;
  def: { left?: z.ZodType; right?: z.ZodType };
}

/** The fields of a schema. An intersection has those of both sides. */
function fieldsOf(schema: z.ZodType): [string, z.ZodType][] {
  const { shape, def } = schema as unknown as Inner;
  if (shape) return Object.entries(shape);
  return [def.left, def.right].flatMap((side) => (side ? fieldsOf(side) : []));
}

/** Fields of the request that the file does not have, and those that the service sets. */
const ofRequest = new Set(["path", "name", "content", "language", "email", "permissioned_as"]);
const samples: unknown[] = ["maybe", 12.5, true, { a: 1 }, ["a", 1]];
/** Returns a value that a field does not accept, or `undefined` if it accepts any. */
const findWrong = (schema: z.ZodType): unknown => samples.find((sample) => !schema.safeParse(sample).success);

const fields = Object.entries(itemSchemas).flatMap(([kind, schema]) =>
  [...new Map([...fieldsOf(fileFields), ...fieldsOf(schema)])]
    .filter(([name]) => !ofRequest.has(name) || (kind === "settings" && name === "name"))
    .map(([name, field]) => ({ kind, name, field })),
);
const typed = fields.flatMap(({ kind, name, field }) => {
  const wrong = findWrong(field);
  return wrong === undefined ? [] : [{ kind, name, wrong }];
});

describe("the fields of an item", () => {
  it.each(Object.keys(itemSchemas))("have no fault in a complete %s", (kind) => {
    expect(check(kind, required[kind] ?? {})).toEqual({ problems: [], warnings: [] });
  });

  it("accept any value only where the service does", () => {
    const any = fields.filter(({ kind, name }) => !typed.some((one) => one.kind === kind && one.name === name));
    expect(any.map(({ kind, name }) => `${kind} ${name}`)).toEqual(["resource value", "app value"]);
  });

  it.each(typed)("must have the type of the request: $kind $name", ({ kind, name, wrong }) => {
    const { problems } = check(kind, { ...required[kind], [name]: wrong });
    const own = problems.find(({ message }) => message.startsWith(name));
    expect(own?.text, JSON.stringify(problems)).toContain(name);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  it.each(fields.filter(({ name }) => name.length >= 4))("must be spelled as the service spells them: $kind $name", ({ kind, name }) => {
    const { [name]: value, ...others } = required[kind] ?? {};
    const misspelt = `${name.slice(0, -1)}${name.at(-1) === "x" ? "y" : "x"}`;
    const { problems } = check(kind, { ...others, [misspelt]: value ?? null });
    expect(problems).toContainEqual(
      expect.objectContaining({
        text: expect.stringContaining(misspelt),
        message: expect.stringMatching(/^\w+: there is no such field\. Did you mean /),
      }),
    );
  });

  it.each(Object.entries(required).flatMap(([kind, value]) => Object.keys(value).map((name) => [kind, name] as const)))(
    "are reported if the request requires them and they are missing: %s %s",
    (kind, name) => {
      const { [name]: _, ...others } = required[kind] ?? {};
      const messages = check(kind, others).problems.map(({ message }) => message);
      expect(messages.filter((message) => !/^[\w.]+: is (missing\.|missing: it must be .+\.|required .*)$/.test(message))).toEqual([]);
    },
  );

  it("only cause a warning if no known field is similar, because clients write fields for other services", () => {
    expect(check("variable", { ...required["variable"], flavour: 1 })).toEqual({
      problems: [],
      warnings: [
        {
          file: "file.yaml",
          line: 3,
          column: 1,
          message: expect.stringContaining("flavour: there is no such field: the service ignores it."),
        },
      ],
    });
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    ["a flag that is a text", "variable", { is_secret: "maybe" }, "is_secret: must be true or false, and not a text."],
    ["a text that is a number", "variable", { value: 5 }, "value: must be a text, and not a number. Put it in quotes."],
    ["an unknown role", "user", { role: "boss" }, "role: must be one of: admin, developer, operator."],
    [
      "an unknown kind of module",
      "flow",
      { value: { modules: [{ id: "a", value: { type: "forloop" } }] } },
      "type must be one of: rawscript",
    ],
    [
      "a misspelt option of a module",
      "flow",
      { value: { modules: [{ id: "a", value: { type: "identity" }, continue_on_eror: true }] } },
      "Did you mean continue_on_error?",
    ],
  ])("are described: %s", (_, kind, change, message) => {
    const { problems } = check(kind, { ...required[kind], ...change });
    expect(problems.map((one) => one.message).join("\n")).toContain(message);
  });
});
