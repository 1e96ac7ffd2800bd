import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseExactJson } from "../contract/json/exact-json.ts";
import type { RunnerLanguage } from "../contract/languages.ts";
import { passArguments } from "../services/execution/invoke-runner.ts";
import { type Runner, startRunner } from "./conformance/harness.ts";
import type { Script } from "./conformance/service.ts";

/** The scripts of one language. Every language must return the same values in the same form. */
interface Scripts {
  /** Returns the value of a JSON text. */
  returns(json: string): string;
  /** Returns its argument `value`. */
  echo: string;
  /** Fails with a reply that contains the value of a JSON text. */
  replies?(json: string): string;
  /** Streams the value of a JSON text. */
  streams?(json: string): string;
  /** Passes the value of a JSON text from its preprocessor to `main`, which ignores it. */
  preprocesses?(json: string): string;
}

const javascript: Scripts = {
  returns: (json) => `export const main = () => JSON.parse(${JSON.stringify(json)});`,
  echo: "export const main = (value) => value;",
  replies: (json) =>
    `export function main() { throw Object.assign(new Error("kept"), { svc_status_code: 409, result: JSON.parse(${JSON.stringify(json)}) }); }`,
  streams: (json) => `export function* main() { yield JSON.parse(${JSON.stringify(json)}); }`,
  preprocesses: (json) =>
    `export const preprocessor = () => ({ value: JSON.parse(${JSON.stringify(json)}) }); export const main = () => 1;`,
};
const python = (json: string) => `import json, sys\nsys.setrecursionlimit(200_000)\nvalue = json.loads(${JSON.stringify(json)})\n`;
const goAnswer = (answer: string) => `#!/bin/bash\ncat >&3 <<'END'\n${answer}\nEND\n`;

const javascriptLanguages: Record<string, Scripts> = { bun: javascript, nodejs: javascript, deno: javascript };
const languages: Record<string, Scripts> = {
  ...javascriptLanguages,
  python3: {
    returns: (json) => `${python(json)}def main():\n    return value`,
    echo: "def main(value):\n    return value",
    replies: (json) =>
      `${python(json)}def main():\n    error = ValueError("kept")\n    error.svc_status_code = 409\n    error.result = value\n    raise error`,
    streams: (json) => `${python(json)}def main():\n    yield value`,
    preprocesses: (json) => `${python(json)}def preprocessor():\n    return {"value": value}\ndef main():\n    return 1`,
  },
  // The runner executes any program, so a bash script that answers on file descriptor 3 takes the place of a compiled one.
  go: {
    returns: (json) => goAnswer(`{"ok":true,"result":${json}}`),
    echo: `#!/bin/bash\necho "{\\"ok\\":true,\\"result\\":$(sed 's/^{"value"://; s/}$//' $SVC_ARGS_PATH)}" >&3\n`,
    replies: (json) => goAnswer(`{"ok":false,"error":{"name":"E","message":"kept","reply":{"svc_status_code":409,"result":${json}}}}`),
  },
  bash: {
    returns: (json) => `cat > result.json <<'END'\n${json}\nEND\n`,
    echo: 'echo "$1" > result.json',
  },
};

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const tooDeep = expect.stringContaining("it is nested more than 400 levels deep");

describe.each(Object.entries(languages))("values of a %s script", (language, scripts) => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner(language);
  });
  afterAll(() => runner.close());
  const run = (code: string | undefined, more: Omit<Script, "code"> = {}) => runner.run({ code: code ?? "", ...more });

  it("a result of 400 levels is returned; a deeper one fails the run with its reason", async () => {
    expect(JSON.stringify(await run(scripts.returns(nested(400))).then(({ result }) => result))).toBe(nested(400));
    for (const levels of [401, 5000]) {
      const { outcome, error } = await run(scripts.returns(nested(levels)));
      expect({ outcome, error }).toMatchObject({ outcome: "failure", error: { name: "ResultError", message: tooDeep } });
    }
  });

  if (scripts.replies)
    it("an error keeps its message and status if its reply has no JSON form", async () => {
      const { outcome, error } = await run(scripts.replies?.(nested(5000)));
      expect({ outcome, error }).toMatchObject({ outcome: "failure", error: { message: "kept" } });
      expect(parseExactJson(JSON.stringify(error))).toMatchObject(language === "go" ? {} : { reply: { svc_status_code: 409 } });
    });

  if (scripts.preprocesses)
    it("deep arguments of a preprocessor fail the run with their reason", async () => {
      const { outcome, error, preprocessed } = await run(scripts.preprocesses?.(nested(5000)), { preprocessor: { params: null } });
      expect({ outcome, error }).toMatchObject({ outcome: "failure", error: { message: tooDeep } });
      expect(error?.message).toContain("The preprocessor failed");
      expect(preprocessed).toBeUndefined();
    });

  const exactly = !(language in javascriptLanguages);
  const numbers = "[9007199254740993,-9007199254740993,18446744073709551615,123456789012345678901234567890,0.1,-7]";
  /** The format of every language that rounds to doubles. */
  const rounded = JSON.stringify(JSON.parse(numbers));
  const expected = exactly ? numbers : rounded;
  /** Both directions pass through Lambda, whose JavaScript runtime parses requests with JSON.parse. */
  const call = async (code: string, json: string) => {
    const args = parseExactJson(`{"value":${json}}`) as Record<string, unknown>;
    const request = { ...runner.request({ code, params: ["value"] }), ...passArguments(language as RunnerLanguage, args) };
    const text = JSON.stringify(request);
    const outcome = await runner.send((language === "python3" ? parseExactJson(text) : JSON.parse(text)) as typeof request);
    expect(outcome.error).toBeUndefined();
    return JSON.stringify(outcome.result);
  };

  it("numbers of arguments and results keep their digits, unless the language is JavaScript", async () => {
    expect(await call(scripts.echo, numbers)).toBe(expected);
    expect(await call(scripts.echo, `{"a":{"b":${numbers}}}`)).toBe(`{"a":{"b":${expected}}}`);
    expect(JSON.stringify((await run(scripts.returns(numbers))).result)).toBe(expected);
    expect(await call(scripts.echo, "7")).toBe("7");
  });

  it("a large result keeps its digits", async () => {
    const request = runner.request({ code: scripts.returns(numbers) });
    const outcome = await runner.send({ ...request, maxInlineResultBytes: 10 });
    expect(outcome.resultUploaded?.bytes).toBe(Buffer.byteLength(expected));
    expect(runner.uploads.get(request.job)?.body).toBe(expected);
  });

  if (scripts.replies) {
    it("the numbers of an error's reply keep their digits", async () => {
      const { error } = await run(scripts.replies?.(numbers));
      expect(JSON.stringify(error?.reply?.["result"])).toBe(expected);
    });
  }

  if (scripts.streams) {
    it("the numbers of a stream keep their digits", async () => {
      expect(await run(scripts.streams?.(numbers))).toMatchObject({ result: expected, logs: { text: `WM_STREAM: ${expected}\n` } });
    });
  }

  if (scripts.preprocesses) {
    it("the numbers that a preprocessor returns keep their digits", async () => {
      const { preprocessed } = await run(scripts.preprocesses?.(numbers), { preprocessor: { params: null } });
      expect(JSON.stringify(preprocessed?.["value"])).toBe(expected);
    });
  }

  if (exactly) {
    it.each([
      ["9".repeat(4001), "more than 4000 digits"],
      ["1e400", "larger than any double"],
    ])("a number that no other language can read fails the run with its reason (case %#)", async (json, reason) => {
      const code =
        language === "python3" ? `import sys\nsys.set_int_max_str_digits(0)\ndef main():\n    return ${json}` : scripts.returns(json);
      const { outcome, error, result } = await run(code);
      // Python itself reads 1e400 as an infinity, which is null as elsewhere.
      if (language === "python3" && json === "1e400") expect({ outcome, result }).toEqual({ outcome: "success", result: null });
      else
        expect({ outcome, error }).toMatchObject({
          outcome: "failure",
          error: { name: "ResultError", message: expect.stringContaining(reason) },
        });
    });
  }
});
