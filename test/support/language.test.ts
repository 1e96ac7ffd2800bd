import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { answers, type ErrorCode } from "../../contract/errors.ts";
import { buildOpenapiDocument } from "../../contract/routes/openapi.ts";

/** Pronouns that hide the person: a text names the approver, the caller or the user instead. */
const VAGUE_SUBJECT = /\b(somebody|nobody|everybody|whoever|anybody)\b/i;
/** A sentence that begins with a relative pronoun hides its subject. */
const BARE_BEGINNING = /(?:^|[.:!] )(What|Who|Whoever|Of|That)\b/;
/** English has "its own folder" or "a separate folder" for a folder "of its … own". */
const OF_ITS_OWN = /\bof (its|their|your) own\b/i;
const ODD_VERB = /\b(kept|stands|goes on|meanwhile)\b/i;

const CODE_FOLDERS = [
  "aws",
  "bench",
  "bin",
  "cli",
  "clients",
  "contract",
  "core",
  "engine",
  "functions",
  "lib",
  "runners",
  "ports",
  "services",
  "statemachines",
  "test",
  "web",
];
/** Scripts that users see as examples or that are data of tests. */
const UNCHECKED = /^(test\/fixtures|engine\/seed\/examples)\//;

/** The texts in which a rule does not apply, each with the reason. */
const EXCEPTIONS = new Set([
  // CONTRIBUTING.md names the words to avoid.
  '- Do not use "somebody", "nobody", "everybody" or "whoever" as a subject, and do not begin a sentence with a bare "What", "Who", "Of" or "That".',
  '- Code does not ask, say, tell or hear. It reads, returns, sends and receives. Avoid "kept", "stands", "goes on" and "meanwhile".',
]);

/** A comment that begins with a bare question word names neither its subject nor its verb. */
const BARE_COMMENT = /(?:^|[.:] )(What|Who|Whom|Whose|Whoever|How|Where|Of (?:a|an|his|its|one|such|that|these|what|whom))\b/;
/** Code reads, returns, sends and receives. Only people speak. */
const SPEAKING_CODE = /\b(says|tells|hears)\b/i;

const tracked = (...patterns: string[]) =>
  execFileSync("git", ["ls-files", ...patterns], { encoding: "utf8" })
    .trim()
    .split("\n");
const sourcesOf = (folder: string) =>
  tracked(`${folder}/*.ts`, `${folder}/*.tsx`, `${folder}/*.mts`, `${folder}/*.mjs`).filter((file) => file !== "" && !UNCHECKED.test(file));
const faultsOf = (texts: Iterable<string>, ...rules: RegExp[]) =>
  [...texts].filter((text) => !EXCEPTIONS.has(text) && rules.some((rule) => rule.test(text)));

/** Returns a placeholder for each detail that a sentence may contain. */
const details = new Proxy({}, { get: () => Object.assign(["x"], { replace: () => "x" }) }) as never;

type Literal = ts.Node & { text: string };
const isLiteral = (node: ts.Node): node is Literal =>
  ts.isStringLiteralLike(node) || ts.isJsxText(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);

interface Texts {
  /** The string literals and the JSX texts that have at least three words. */
  strings: string[];
  /** The comments as single lines. Code in backquotes is left out. */
  comments: string[];
  /** The names of tests, and of their groups. */
  testNames: string[];
}
const textsByFile = new Map<string, Texts>();

/** Reads a source file once for all rules, because parsing takes longer than the rules. */
function textsIn(file: string): Texts {
  const known = textsByFile.get(file);
  if (known) return known;
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const strings = nodes.filter(isLiteral).map(({ text }) => text.trim());
  const texts = {
    strings: strings.filter((text) => text.split(/\s+/).length >= 3),
    comments: [...commentsIn(source, nodes)],
    testNames: [...testNamesIn(source, nodes)],
  };
  textsByFile.set(file, texts);
  return texts;
}

function* commentsIn(source: ts.SourceFile, nodes: readonly ts.Node[]): Generator<string> {
  // Only literals can contain the beginning of a comment that is none.
  const literals = nodes.filter((node) => isLiteral(node) || ts.isRegularExpressionLiteral(node));
  const comment = /\/\/.*|\/\*[\s\S]*?\*\//g;
  for (let found = comment.exec(source.text); found; found = comment.exec(source.text)) {
    const { index } = found;
    while (literals[0] && literals[0].end <= index) literals.shift();
    const [literal] = literals;
    if (literal && literal.getStart(source) <= index) {
      comment.lastIndex = literal.end;
      continue;
    }
    const lines = found[0].replace(/^\/\*\*?|\*\/$/g, "");
    yield lines
      .replace(/^\s*(\*|\/\/) ?/gm, "")
      .replace(/`[^`]*`/g, "x")
      .replace(/\s+/g, " ")
      .trim();
  }
}

function* testNamesIn(source: ts.SourceFile, nodes: readonly ts.Node[]): Generator<string> {
  for (const node of nodes) {
    if (!ts.isCallExpression(node) || !/^(describe|it|test)\b/.test(node.expression.getText(source))) continue;
    const [name] = node.arguments;
    if (name && ts.isStringLiteralLike(name)) yield name.text;
  }
}

/** The lines of a page outside its code blocks. */
function* linesIn(file: string): Generator<string> {
  let isCode = false;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    else if (!isCode) yield line;
  }
}

/** The summaries and descriptions of the API document. */
function* descriptionsIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if ((key === "summary" || key === "description") && typeof inner === "string") yield inner;
    else yield* descriptionsIn(inner);
  }
}

describe("plain English", () => {
  it("is the language of every error sentence", () => {
    const sentences = (Object.keys(answers) as ErrorCode[]).map((code) => answers[code].describe(details));
    expect(faultsOf(sentences, VAGUE_SUBJECT, BARE_BEGINNING, ODD_VERB, OF_ITS_OWN)).toEqual([]);
  });

  it("is the language of the API's summaries and descriptions", () => {
    const descriptions = descriptionsIn(buildOpenapiDocument("https://svc.example.com"));
    expect(faultsOf(descriptions, VAGUE_SUBJECT, BARE_BEGINNING, ODD_VERB, OF_ITS_OWN)).toEqual([]);
  });

  it.each(["web/src", "cli", "lib", "functions", "services", "core", "contract", "statemachines", "engine"])(
    "is the language of the texts in the sources of %s",
    (folder) => {
      const files = tracked(`${folder}/*.ts`, `${folder}/*.tsx`).filter((file) => !file.includes(".test."));
      const faults = files.flatMap((file) =>
        faultsOf(textsIn(file).strings, VAGUE_SUBJECT, BARE_BEGINNING, OF_ITS_OWN).map((text) => `${file}: ${text}`),
      );
      expect(faults).toEqual([]);
    },
  );

  it.each(CODE_FOLDERS)("is the language of the comments in the sources and tests of %s", (folder) => {
    const faults = sourcesOf(folder).flatMap((file) =>
      faultsOf(textsIn(file).comments, VAGUE_SUBJECT, BARE_COMMENT, ODD_VERB, SPEAKING_CODE, OF_ITS_OWN).map((text) => `${file}: ${text}`),
    );
    expect(faults).toEqual([]);
  });

  it("names the subject of every test", () => {
    const files = CODE_FOLDERS.flatMap(sourcesOf).filter((file) => file.includes(".test."));
    expect(files.flatMap((file) => faultsOf(textsIn(file).testNames, VAGUE_SUBJECT, OF_ITS_OWN).map((text) => `${file}: ${text}`))).toEqual(
      [],
    );
  });

  it("names no function in the name of a test that does not exist", () => {
    const files = CODE_FOLDERS.flatMap(sourcesOf);
    const [tests, sources] = [true, false].map((isTest) => files.filter((file) => file.includes(".test.") === isTest)) as [
      string[],
      string[],
    ];
    const existing = new Set(sources.flatMap((file) => readFileSync(file, "utf8").match(/[A-Za-z_$][\w$]*/g) ?? []));
    const isGone = (word: string) => !existing.has(word);
    const faults = tests.flatMap((file) =>
      textsIn(file).testNames.flatMap((name) => (name.match(/\b[a-z]+[A-Z]\w*/g) ?? []).filter(isGone).map((word) => `${file}: ${word}`)),
    );
    expect(faults).toEqual([]);
  });

  it("is the language of every page and of the titles of decisions", () => {
    const faults = tracked("*.md").flatMap((file) =>
      faultsOf(linesIn(file), VAGUE_SUBJECT, BARE_BEGINNING, OF_ITS_OWN).map((text) => `${file}: ${text}`),
    );
    const titles = tracked("docs/decisions/*.md").map((file) => readFileSync(file, "utf8").split("\n", 1)[0] ?? "");
    expect([...faults, ...faultsOf(titles, ODD_VERB)]).toEqual([]);
  });
});
