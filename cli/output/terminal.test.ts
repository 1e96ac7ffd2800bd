import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { capturePrinted, type Printed } from "../../test/support/cli/printed.ts";
import { Output } from "./output.ts";
import { cleanLine, cleanText, style, writeData, writeJson, writeMessage } from "./terminal.ts";

const obeyed = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
let printed: Printed;
beforeEach(() => {
  printed = capturePrinted();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  for (const stream of [process.stdout, process.stderr]) Reflect.deleteProperty(stream, "isTTY");
});
const pretendTerminal = () => {
  for (const stream of [process.stdout, process.stderr]) Object.defineProperty(stream, "isTTY", { value: true, configurable: true });
};

describe("cleanText", () => {
  it.each([
    ["colors", "\x1b[31mred\x1b[0m \x9b1mbold", "red bold"],
    ["a title", "a\x1b]0;title\x07b\x9d0;title\x9cc", "abc"],
    ["the clipboard", "\x1b]52;c;cm0gLXJm\x1b\\a", "a"],
    ["a link", "\x1b]8;;https://evil.example.com\x1b\\safe\x1b]8;;\x1b\\", "safe"],
    ["a string that does not end, whose text is shown", "\x1b]0;title", "]0;title"],
    ["other commands", "\x1bP1;2q\x1b\\\x1b_x\x1b\\a\x1bc\x1b(0\x00\x08\x7f", "ac(0"],
    ["cursor movements", "a\x1b[2A\x1b[2Kb\rc\r\nd", "ab\nc\nd"],
    ["reversed text", "a\u202eb\u2066c\u200f", "abc"],
    ["nothing else", "ä\t日本\n😀 é", "ä\t日本\n😀 é"],
  ])("removes %s", (_, text, expected) => expect(cleanText(text)).toBe(expected));

  it("removes each control character and keeps all others", () => {
    const pieces = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\x1b", "\x1b[", "\x9b", "\x1b]", "\x07", "\x1b\\", "\u202e", "3", "1;", "m", "\r"),
    );
    fc.assert(
      fc.property(
        fc.array(pieces).map((all) => all.join("")),
        (text) => {
          expect(cleanText(text)).not.toMatch(obeyed);
          const plain = text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "");
          expect(cleanText(plain)).toBe(plain);
        },
      ),
    );
  });

  it("leaves one line of a text in a question", () => {
    expect(cleanLine("Run a\r\nb\n\nSigned by svc. Continue?\x1b[1A")).toBe("Run a b Signed by svc. Continue?");
  });

  it("takes linear time", () => {
    for (const text of ["\x1b]", "\x9d", "\x1b[", "\x9b0", "\x1b]a"]) expect(cleanText(text.repeat(200_000))).not.toMatch(obeyed);
  });
});

const hostile = "a\x1b[2J\x1b]0;t\x07\u202eb\x9b";

describe("the output", () => {
  it("always cleans messages, and cleans data for a terminal", () => {
    writeMessage(hostile);
    writeData(hostile);
    expect([printed.stderr, printed.stdout]).toEqual(["ab", hostile]);
    pretendTerminal();
    printed.stdout = "";
    writeData(hostile);
    expect(printed.stdout).toBe("ab");
  });

  it("writes exact JSON, which a terminal cannot obey", () => {
    const text = JSON.stringify({ value: hostile }, undefined, 2);
    writeJson(text);
    expect(printed.stdout).toBe(text);
    pretendTerminal();
    printed.stdout = "";
    writeJson(text);
    expect(printed.stdout).not.toMatch(obeyed);
    expect(JSON.parse(printed.stdout)).toEqual({ value: hostile });
  });

  it("keeps only the program's own styles, and only for a terminal", () => {
    vi.stubEnv("FORCE_COLOR", undefined);
    vi.stubEnv("NO_COLOR", undefined);
    writeMessage(style("red", hostile));
    expect(printed.stderr).toBe("ab");
    pretendTerminal();
    vi.stubEnv("TERM", "xterm-256color");
    printed.stderr = "";
    writeMessage(`${style("red", hostile)} ${style("bold", "\x1b[32mc")}`);
    expect(printed.stderr).toBe("\x1b[31mab\x1b[39m \x1b[1mc\x1b[22m");
  });

  it("contains no command for a terminal in any of its forms", () => {
    pretendTerminal();
    for (const json of [false, true]) {
      const output = new Output({ json, verbose: true });
      output.data({ hostile }, hostile);
      output.value(hostile);
      output.line({ hostile }, hostile);
      output.progress({ hostile }, hostile);
      output.say(hostile);
      output.detail(hostile);
      output.say(output.table(["NAME"], [[`${hostile}`], ["a\r\nb"]]));
    }
    expect(printed.stdout).not.toMatch(obeyed);
    // The style of details belongs to the program.
    expect(printed.stderr.replaceAll("\x1b[2m", "").replaceAll("\x1b[22m", "")).not.toMatch(obeyed);
    expect(printed.stderr).toContain("NAME\nab\na b\n");
  });
});

it("no other module of the command line writes to the standard streams", () => {
  const cli = dirname(import.meta.dirname);
  const modules = readdirSync(cli, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.ts$/.test(name) && !/\.test\.ts$|node_modules|dist/.test(name),
  );
  const writing = /process\s*(?:\.|\[["'`])(?:stdout|stderr)|\bconsole\s*[.[]|node:(?:console|tty)|\/dev\/(?:tty|std)|\bwriteSync\(/;
  const found = modules.filter((name) => writing.test(readFileSync(join(cli, name), "utf8"))).sort();
  // The start of the program prints only its own texts, also in releases of Node.js that cannot load the rest.
  expect(found).toEqual(["main.ts", "output/terminal.ts"]);
});

it("all questions are asked in one module, which cleans their texts", () => {
  const cli = dirname(import.meta.dirname);
  const modules = readdirSync(cli, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !/\.test\.ts$|node_modules|dist/.test(name),
  );
  expect(modules.filter((name) => readFileSync(join(cli, name), "utf8").includes("@clack/"))).toEqual(["output/prompts.ts"]);
  const source = readFileSync(join(cli, "output/prompts.ts"), "utf8");
  const texts = [...source.matchAll(/prompts\.(?:confirm|select|password)\(\{ message(.{11})|\blabel(: \w+\()/g)].map(
    ([, message, label]) => message ?? label,
  );
  expect(texts).toEqual([": cleanLine", ": cleanLine(", ": cleanLine", ": cleanLine"]);
});
