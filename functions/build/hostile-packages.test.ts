import { describe, expect, it } from "vitest";
import { readGoSource } from "../../core/builds/go-source.ts";
import { ImportProblem, listNpmPackages, listPythonRequirements } from "../../core/builds/packages/packages.ts";
import { parseDependencies } from "../../core/builds/packages/workspace-dependencies.ts";
import { BuildFailure } from "./build-sandbox.ts";
import { readGoLock, writeGoLock } from "./go/go-lock.ts";
import { readNpmLock, writeNpmLock } from "./javascript/npm-lock.ts";
import { readPythonLock } from "./python/python-lock.ts";

/** The line breaks of all installers, and characters that may look like one. */
const BREAKS = [
  "\n",
  "\r",
  "\r\n",
  "\v",
  "\f",
  "\u001c",
  "\u001d",
  "\u001e",
  "\u0085",
  "\u2028",
  "\u2029",
  "\u0000",
  "\\\n",
  "\t",
  " ",
  " ; ",
];
const OPTIONS = [
  "--index-url evil",
  "--index-url https://evil.example",
  "--extra-index-url=evil",
  "--find-links .",
  "-r other",
  "-r /etc/passwd",
  "-e .",
  "-c other",
  "--pre",
  "--config-settings a=b",
  "file:///etc/passwd",
  "git+https://evil.example/a",
  "replace example.com/a => ../b",
  "toolchain evil",
];

const listed = (found: Record<string, string> | string) => (typeof found === "string" ? [] : Object.values(found));
const npmLock = (name: string, range: string) =>
  readNpmLock(writeNpmLock(JSON.stringify({ dependencies: { [name]: range } }), '{"lockfileVersion":1,"packages":{}}')).dependencies;
const quoted = (text: string) => JSON.stringify(text);

/** The inputs in which an author names packages: each function returns the text that the build passes to the installer, or refuses it. */
const places: [string, string, (text: string) => string[]][] = [
  ["a lock of Python", "six==1.16.0", (text) => readPythonLock(`${text}\n`, []).split("\n")],
  ["a lock of Python, after a marker", 'six==1.16.0; python_version > "3"', (text) => readPythonLock(`${text}\n`, []).split("\n")],
  ["a lock of Python, after a hash", `six==1.16.0 --hash=sha256:${"0".repeat(64)}`, (text) => readPythonLock(`${text}\n`, []).split("\n")],
  ["requirements of Python", "six", (text) => listPythonRequirements({ "f/t/a": `# requirements:\n# ${text}\n` }, "3.12")],
  ["further requirements of Python", "six>1", (text) => listPythonRequirements({ "f/t/a": `# extra_requirements:\n# ${text}\n` }, "3.12")],
  ...['"', "'"].map((mark): (typeof places)[number] => [
    `metadata of Python in ${mark}`,
    "six; python_version > '3'".replaceAll("'", mark === "'" ? "" : "'"),
    (text) =>
      listPythonRequirements(
        { "f/t/a": `# /// script\n# dependencies = [${mark}${text.replaceAll("\n", "\n# ")}${mark}]\n# ///\n` },
        "3.12",
      ),
  ]),
  ["a list of Python", "six; python_version > '3'", (text) => listed(parseDependencies("python3", text))],
  ["a list of npm", "1", (text) => listed(parseDependencies("bun", JSON.stringify({ dependencies: { lodash: text } })))],
  ["a name in a list of npm", "lodash", (text) => Object.keys(parseDependencies("bun", JSON.stringify({ dependencies: { [text]: "1" } })))],
  ["an import of TypeScript", "lodash@1", (text) => Object.entries(listNpmPackages({ "f/t/a": `import ${quoted(text)};` })).flat()],
  ["a lock of npm", "1", (text) => Object.values(npmLock("lodash", text))],
  ["a name in a lock of npm", "lodash", (text) => Object.keys(npmLock(text, "1"))],
  ["a list of Go", "require example.com/a v1.0.0", (text) => listed(parseDependencies("go", text))],
  ["a comment of Go", "//require example.com/a v1.0.0", (text) => Object.entries(readGoSource(`package inner\n${text}\n`).required).flat()],
  ["a lock of Go", "require example.com/a v1.0.0", (text) => readGoLock(writeGoLock(text, ""), "m").mod.split("\n")],
  [
    "checksums of Go",
    "example.com/a v1.0.0 h1:AAAA=",
    (text) => readGoLock(writeGoLock("require example.com/a v1.0.0", text), "m").sum.split("\n"),
  ],
];

describe("a line break or an option behind the name of a package", () => {
  it.each(places)("reaches no installer through %s", (place, good, read) => {
    // The npm installer reads JSON, where a leading dash is not an option.
    const forbidden = /npm|TypeScript/.test(place) ? /:\/\/|file:|git\+/ : /(^|\s)-|:\/\/|file:|git\+|=>|^toolchain/;
    expect(read(good).filter(Boolean)).not.toEqual([]);
    for (const between of BREAKS)
      for (const option of OPTIONS)
        for (const text of [good + between + option, option + between + good, good + between + option + between + good]) {
          let given: string[] = [];
          try {
            given = read(text);
          } catch (error) {
            if (!(error instanceof BuildFailure || error instanceof ImportProblem)) throw error;
          }
          for (const line of given) {
            // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question.
            expect([text, line]).toEqual([text, expect.not.stringMatching(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/u)]);
            const rest = line.replace(/ --hash=sha256:[0-9a-f]+/g, "");
            expect([text, rest]).toEqual([text, expect.not.stringMatching(forbidden)]);
          }
        }
  });
});
