import fc from "fast-check";
import { scriptLanguages } from "../../contract/languages.ts";
import { languageOfEnding, scriptEnding } from "../../core/sync/files/extensions.ts";
import type { LayoutOptions } from "../../core/sync/files/layout.ts";
import type { SyncItem } from "../../core/sync/item.ts";

/** Any JSON value that survives JSON: no -0, and no keys that JavaScript treats as the prototype. */
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value).replaceAll("__proto__", "proto")) as unknown);
const jsonObject = fc.dictionary(
  fc.string().filter((key) => key !== "__proto__"),
  json,
  { maxKeys: 4, noNullPrototype: true },
);
/** Texts that a file in UTF-8 can hold. */
const text = fc.string({ unit: "grapheme" }).map((value) => value.toWellFormed());
const lines = fc.array(fc.oneof(text, fc.constantFrom("", " a", "b ", "- c", "key: value", "\t", "# d")), { maxLength: 4 });
const source = fc.tuple(lines, fc.constantFrom("\n", "\r\n")).map(([all, end]) => all.join(end));

const segment = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,8}$/).filter((name) => !/__(flow|app|raw_app|mod|fileset)$/.test(name));
/** Names that look like those of files of other kinds are allowed too. */
const lastSegment = fc.oneof(
  segment,
  fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}$/),
  fc.constantFrom("v1.2", "a.flow", "a__mod", "a.script", "a.ts", "a.resource.file.b", "folder.meta", "a."),
);
const path = fc
  .tuple(fc.constantFrom("f", "u"), segment, fc.array(segment, { maxLength: 2 }), lastSegment)
  .map(([a, b, rest, last]) => [a, b, ...rest, last].join("/"));

/** Languages that a file name identifies. */
const languages = scriptLanguages.filter((language) => languageOfEnding(scriptEnding(language, "bun"), "bun") === language);
const language = fc.constantFrom(...languages);

const rawScript = fc.record(
  { type: fc.constant("rawscript"), content: source, language, lock: fc.oneof(fc.constant(""), text), input_transforms: jsonObject },
  { requiredKeys: ["type", "content", "language"] },
);
const summary = fc.oneof(
  text,
  fc.constantFrom(
    "Send mail",
    "send mail",
    "send_mail_1",
    "a/b",
    "..",
    "v1.2",
    "flow",
    "app",
    "script",
    "Ünïcode",
    'x:*?"<>|\\',
    "y\n\tz",
    "😀",
  ),
);
type Tree = { modules: unknown; module: unknown };
const { modules } = fc.letrec<Tree>((tie) => ({
  modules: fc.array(tie("module"), { maxLength: 3, depthIdentifier: "flow" }),
  module: fc.record({
    summary,
    value: fc.oneof(
      { maxDepth: 2, depthIdentifier: "flow" },
      rawScript,
      fc.record({ type: fc.constant("script"), path }),
      fc.record({ type: fc.constant("forloopflow"), modules: tie("modules"), iterator: jsonObject }),
      fc.record({
        type: fc.constant("branchone"),
        branches: fc.array(fc.record({ expr: text, modules: tie("modules") }), { maxLength: 2 }),
        default: tie("modules"),
      }),
    ),
  }),
}));

/** Gives every module its own id, as a saved flow has them. */
function numberModules(value: unknown, next: { id: number }): unknown {
  if (Array.isArray(value)) return value.map((item) => numberModules(item, next));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    ["modules", "branches", "default", "value"].includes(key) ? numberModules(item, next) : item,
  ]);
  const isModule = "value" in value && "summary" in value;
  if (isModule) next.id += 1;
  return { ...(isModule ? { id: `m${next.id}` } : {}), ...Object.fromEntries(entries) };
}
const flowValue = fc
  .record({ modules, failure_module: fc.record({ summary, value: rawScript }) }, { requiredKeys: ["modules"] })
  .map((value) => {
    const numbered = numberModules(value.modules, { id: 0 });
    return { modules: numbered, ...(value.failure_module ? { failure_module: { id: "failure", ...value.failure_module } } : {}) };
  });

/** The modules of a script by file. Some names are equal except for the ending, hidden, or not those of source files. */
const moduleName = fc.oneof(
  fc.stringMatching(/^[a-z]{1,3}(\/[a-z]{1,3})?\.(ts|py|node\.ts|sh)$/),
  fc.constantFrom(
    "a.ts",
    "a.py",
    "script.ts",
    "script.lock",
    ".hidden.ts",
    "../out.ts",
    "data.txt",
    "a",
    "a/b.ts",
    "b.bun.ts",
    "b.deno.ts",
  ),
);
const scriptModules = fc.dictionary(
  moduleName,
  fc.record(
    { content: source, language, lock: fc.oneof(fc.constant(""), fc.constant(null), text) },
    { requiredKeys: ["content", "language"] },
  ),
  { minKeys: 1, maxKeys: 4, noNullPrototype: true },
);

const fileName = fc.oneof(
  fc.stringMatching(/^[a-z]{1,5}(\/[a-z]{1,4})?\.txt$/),
  fc.constantFrom(".env", "a/.b/c", "node_modules/x", "d", "d/e", "../out", "fileset.yaml"),
);

/** The types of which `anySyncItem` makes resources. */
export const fileTypes: LayoutOptions["fileTypes"] = { ini: { format_extension: "ini" }, site: { is_fileset: true } };

/** An item of any kind that has files. */
export const anySyncItem: fc.Arbitrary<SyncItem> = fc.oneof(
  fc
    .record({
      path,
      language,
      content: source,
      value: fc.record(
        {
          summary: text,
          description: text,
          lock: fc.oneof(fc.constant(""), text),
          kind: fc.constant("script"),
          schema: jsonObject,
          modules: scriptModules,
        },
        { requiredKeys: ["summary", "description", "lock", "kind", "schema"] },
      ),
    })
    .map((one) => ({ kind: "script", ...one })),
  fc
    .record({ path, summary: text, value: flowValue, schema: jsonObject })
    .map(({ path: at, ...value }) => ({ kind: "flow", path: at, value })),
  fc
    .record({
      path,
      summary: text,
      value: fc.record({
        grid: fc.array(fc.record({ name: summary, inlineScript: fc.record({ content: source, language }) }), { maxLength: 3 }),
      }),
      policy: fc.record(
        {
          execution_mode: fc.constantFrom("publisher", "viewer", "guest", "anonymous"),
          s3_inputs: fc.array(jsonObject, { minLength: 1, maxLength: 2 }),
        },
        { requiredKeys: ["execution_mode"] },
      ),
    })
    .map(({ path: at, ...value }) => ({ kind: "app", path: at, value })),
  fc
    .record({ path, value: fc.record({ value: json, resource_type: fc.constantFrom("any", "postgresql") }) })
    .map((one) => ({ kind: "resource", ...one })),
  fc
    .record({ path, content: source })
    .map(({ path: at, content }) => ({ kind: "resource", path: at, value: { value: { content }, resource_type: "ini" } })),
  fc
    .record({ path, files: fc.dictionary(fileName, source, { minKeys: 1, maxKeys: 3, noNullPrototype: true }) })
    .map(({ path: at, files }) => ({ kind: "resource", path: at, value: { value: files, resource_type: "site" } })),
  fc
    .record({ path, value: fc.record({ value: text, is_secret: fc.boolean(), description: text }) })
    .map((one) => ({ kind: "variable", ...one })),
  fc.record({ path, kind: fc.constantFrom("schedule", "http_trigger", "kafka_trigger"), value: jsonObject }),
  fc.record({ path: segment, kind: fc.constantFrom("folder", "group", "resource_type"), value: jsonObject }),
  fc.record({ path: segment, value: jsonObject }).map(({ path: name, value }) => ({ kind: "user", path: `${name}@example.com`, value })),
  fc
    .record({ path: fc.constantFrom("package.json", "team.requirements.in", "go.mod"), value: source })
    .map((one) => ({ kind: "dependencies", ...one })),
  fc.record({ value: jsonObject }).map((one) => ({ kind: "settings", path: "settings", ...one })),
  fc.record({ value: text }).map((one) => ({ kind: "encryption_key", path: "encryption_key", ...one })),
);
