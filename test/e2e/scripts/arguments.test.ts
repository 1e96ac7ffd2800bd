// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of scripts.
import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

interface Script {
  content: string;
  inferred_schema?: { properties: Record<string, object>; required: string[] };
}
const scriptAt = async (path: string) => expectStatus(await ws.get(`scripts/get/p/${path}`), 200).json as Script;

describe("the arguments of a script", () => {
  it.each([
    ["bun", "export async function main(\n  who: string,\n  n = 2,\n) {\n  return `${who} ${n}`;\n}\n"],
    ["python3", 'def main(\n    who: str,\n    n=2,\n):\n    return f"{who} {n}"\n'],
    ["go", 'package inner\n\nimport "fmt"\n\nfunc main(\n\twho string,\n\tn int,\n) string {\n\treturn fmt.Sprint(who, " ", n)\n}\n'],
    ["bash", '#!/bin/bash\nwho="$1" n="${2:-2}"\nif [ -n "$who" ]; then\n  echo "$who $n"\nfi\n'],
  ])("are read and passed in %s even if the file has a byte order mark and CRLF", async (language, text) => {
    const path = `f/t/crlf_${language}`;
    const content = `\uFEFF${text.replaceAll("\n", "\r\n")}`;
    await ws.saveScript({ path, language, content });
    const script = await scriptAt(path);
    expect(script.content).toBe(content);
    expect(Object.keys(script.inferred_schema?.properties ?? {})).toEqual(["who", "n"]);
    const n = language === "bash" ? "5" : 5;
    expect((await ws.runWait(path, { who: "ann", n })).json).toBe("ann 5");
  });

  it.each([
    [
      "bun",
      "const retry = <A extends unknown[]>(f: (...a: A) => unknown) => (...a: A) => f(...a);\nexport const main = retry(async (who: string, at: Date) => [who, at.getUTCFullYear()]);\n",
    ],
    [
      "python3",
      "from datetime import date\nimport functools\n\ndef run(greeting, who: str, at: date):\n    return [who, at.year]\n\nmain = functools.partial(run, 'hello')\n",
    ],
  ])("belong to the function that a call in %s names", async (language, content) => {
    const path = `f/t/wrapped_${language}`;
    await ws.saveScript({ path, language, content });
    expect((await scriptAt(path)).inferred_schema?.required).toEqual(["who", "at"]);
    expect((await ws.runWait(path, { at: "2026-01-02", who: "ann" })).json).toEqual(["ann", 2026]);
    const failed = await ws.runWait(path, { at: "soon", who: "ann" });
    expect(failed.json).toMatchObject({ error: { name: "ArgumentError", message: expect.stringContaining('The argument "at"') } });
  });

  it.each([
    ["bun", "export const preprocessor = (event) => ({ n: event.body.n });\nexport const main = (n: number) => n;\n"],
    ["python3", 'def preprocessor(event):\n    return {"n": event["body"]["n"]}\n\ndef main(n: int):\n    return n\n'],
  ])(
    "are checked by the inferred schema in %s, and so is what the preprocessor returns, with validate_input",
    async (language, content) => {
      const path = `f/t/checked_${language}`;
      await ws.saveScript({ path, language, content, validate_input: true });
      const refused = await ws.post(`jobs/run/p/${path}`, { n: "many" }, { skip_preprocessor: true });
      expect([refused.status, refused.headers.get("x-svc-error")]).toEqual([422, "run.arguments"]);
      expect(refused.text).toMatch(
        /^The arguments do not match the schema of f\/t\/checked_\w+\. n: must be (number|integer), but is string\.$/,
      );
      expect((await ws.runWait(path, { n: "many" })).json).toEqual({ error: { name: "ValidationError", message: refused.text } });
      expect((await ws.runWait(path, { n: 3 })).json).toBe(3);
    },
  );

  it("have the types of the function that is called", async () => {
    const path = "f/t/typed_other";
    const content = "export const main = (at: Date) => at.toISOString();\nexport const other = (at: string) => at;\n";
    await ws.saveScript({ path, language: "bun", content });
    expect((await ws.runWait(path, { at: "2026-01-02" })).json).toBe("2026-01-02T00:00:00.000Z");
    expect((await ws.runWait(path, { at: "soon", _ENTRYPOINT_OVERRIDE: "other" })).json).toBe("soon");
  });
});
