import { readErrorPreview } from "../../../contract/utilities/error-preview.ts";
import { fillTemplate } from "../../../core/approvals/template.ts";
import { parseExpression } from "../../../core/expressions/parse-expression.ts";
import { isPlainPath, parsePlainPath, readQuotedPath } from "../../../core/expressions/plain-path.ts";
import { buildMail } from "../../../core/notifications/text.ts";
import { createPatternEngine } from "../../../core/patterns/pattern-engine.ts";
import { removeTrailing } from "../../../core/patterns/remove-trailing.ts";
import { matchesWildcard } from "../../../core/patterns/wildcard.ts";
import { describeSchemaProblem } from "../../../core/resources/value-check.ts";
import { parseTiming } from "../../../core/schedules/cron.ts";
import { createMasker } from "../../../core/secrets/mask.ts";
import { type CostCase, feed } from "./growth.ts";
import { type Build, between, mix, nest, numbered, repeat } from "./shapes.ts";

const MOST = 64 * 1024;
/** The longest expression and the longest text of a schedule, and more. */
const MOST_EXPRESSION = 16 * 1024;

const expressions: Record<string, Build> = {
  ...mix("a", ".", "?.", "[0]", "a.b", "'", '"', "`", "(", "+ ", "a ? b : ", "/", "\\", "=> "),
  parentheses: nest("(", ")", "a"),
  lists: nest("[", "]"),
  objects: nest("({a:", "})", "1"),
  templates: nest("`${", "}`", "a"),
  functions: repeat("() => "),
  "quoted names": between("a", repeat('["b"]')),
  statements: between("", repeat("a;"), "return a"),
  "nested functions": between("", nest("function f() {", "}"), "return a"),
  comments: repeat("/**/"),
  "line comments": repeat("//\n"),
  declarations: between(
    "",
    numbered((at) => `let a${at} = 1;`),
    "return 1",
  ),
  "results of steps": between(
    "",
    numbered((at) => `results.a${at} + `),
    "1",
  ),
  patterns: between(
    "const {",
    numbered((at) => `a${at},`),
    "} = results; return 1",
  ),
};
const notice = (message: string) => ({
  ...{
    id: "a",
    what: "opened",
    workspace: "a",
    gate: "a",
    flow: "a",
    root: "a",
    module: "a",
    step: message,
    kind: "suspend",
    requestedBy: message,
  },
  ...{ people: [], channel: "email", required: 1, atMs: 0, message, inputs: [{ name: message, value: message }] },
});
const schemaOf = (text: string) => ({ type: "string", pattern: text });

/** Texts that authors of flows and scripts choose, and the outputs of their jobs. */
export const texts: CostCase[] = [
  ...feed("an expression", MOST_EXPRESSION, parseExpression, expressions),
  ...feed(
    "a path in an expression",
    MOST_EXPRESSION,
    (text: string) => [isPlainPath(text), parsePlainPath(text), readQuotedPath({ a: {} }, text)],
    expressions,
  ),
  ...feed("the preview of an error", MOST, readErrorPreview, {
    names: between('{"error":{', repeat('"a":1,'), '"name":"E","message":"m'),
    "names without an end": between('{"error":{', repeat('"name":"')),
    messages: between('{"error":{"name":"E",', repeat('"message":')),
    escapes: between('{"error":{"name":"E","message":"', repeat("\\\\")),
  }),
  ...feed("a schedule", 1024, (schedule: string) => parseTiming({ schedule, timezone: "Europe/Berlin" }), {
    ...mix("*", "1", ",", "-", "/", "* ", "L", "#"),
    "a list of minutes": between("0", repeat(",59"), " * * * *"),
    "a day that never comes": between("0 0 30", repeat(",31"), " 2 *"),
  }),
  ...feed("a text with a wildcard", MOST, (text: string) => matchesWildcard("a*ab*ba*b", text), mix("a", "b", "*")),
  ...feed(
    "a text and a wildcard of its length",
    4096,
    (text: string) => matchesWildcard(`${text}*b`, `${text}${text}`),
    mix("a", "a*", "ab*"),
  ),
  ...feed("the end of a text", MOST, (text: string) => removeTrailing(text, "/"), mix("a", "/")),
  ...["(a+)+$", "(a|a)*b", ".*.*=.*", "^(\\w+\\s?)*$", "(?:a?){20}a{20}"].flatMap((pattern) =>
    feed(
      `a text for the pattern ${pattern}`,
      64 * 1024,
      (text: string) => createPatternEngine()(pattern).test(text),
      mix("a", "b", " ", "="),
    ),
  ),
  ...feed("a pattern of a schema", 1024, (text: string) => describeSchemaProblem(schemaOf(text)), {
    ...mix("a", "*", "(", "[", "a|", "\\p{L}", "a{9}", "a?", "^"),
    groups: nest("(", ")"),
    repetitions: between("a", repeat("{2}")),
  }),
  ...feed("a secret in an output", MOST / 4, (text: string) => createMasker([text])?.text(text + text), {
    ...mix("a", "b", "\n", "%", "ü", "+"),
    "a long period": repeat("aaaaaaab"),
  }),
  ...feed(
    "an output without a secret",
    MOST,
    (text: string) => createMasker(["a".repeat(5000), "ab".repeat(2500)])?.chunk(text),
    mix("a", "b", "aab", "\\"),
  ),
  ...feed("an output in JSON", MOST, (text: string) => createMasker(["a secret value"])?.value(JSON.parse(text)), {
    texts: between("[1", repeat(',"a secret value"'), "]"),
    names: between(
      "{",
      numbered((at) => `"k${at}":1,`),
      '"a":1}',
    ),
  }),
  ...feed("many secrets", 4096, (text: string) => createMasker(text.split(" "))?.text(text), {
    "of one text": numbered((at) => `secret-number-${at} `),
  }),
  ...feed(
    "a message with values",
    MOST,
    (text: string) => fillTemplate(text, { workflow: { name: "a" }, run: { triggered_by: "b" }, context: { a: text } }),
    {
      ...mix("{{", "}}", " ", "a", ".", "context"),
      values: repeat("{{context.a}}"),
      "a long path": between("{{context", repeat(".a"), "}}"),
    },
  ),
  ...feed("the mail of a notice", MOST, (text: string) => buildMail("https://svc.example", notice(text) as never), {
    ...mix("a", " ", "<", "\n", "/jobs_u/", "/jobs_u/resume/", "\u202a"),
  }),
];
