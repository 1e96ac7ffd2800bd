import { beforeAll, describe, expect, it } from "vitest";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

interface Script {
  lock?: string;
  lock_error_logs?: string;
  schema?: unknown;
  inferred_schema?: { properties: Record<string, object>; required: string[]; order: string[] };
  content: string;
}
const scriptAt = async (path: string) => expectStatus(await ws.get(`scripts/get/p/${path}`), 200).json as Script;
const statusOf = async (hash: string) =>
  (await ws.get(`scripts/deployment_status/h/${hash}`)).json as { lock?: string | null; lock_error_logs?: string; job_id?: string };

describe.each(["bun", "deno", "nodejs"])("npm packages in a %s script", (language) => {
  it("a package without a version is installed in its newest version, which the lock contains", async () => {
    const path = `f/t/npm_${language}`;
    const content = `import leftPad from "left-pad";\nexport const main = (text: string) => leftPad(text, 6, "-");`;
    const hash = await ws.saveScript({ path, language, content });
    expect((await ws.runWait(path, { text: "abc" })).json).toBe("---abc");
    const { lock } = await scriptAt(path);
    expect(lock).toMatch(/left-pad.*1\.3\.0/s);
    expect((await statusOf(hash)).lock).toBe(lock);
  });

  it("a package with a version in the import has that version", async () => {
    const path = `f/t/npm_version_${language}`;
    const specifier = language === "deno" ? "npm:is-odd@2.0.0" : "is-odd@2.0.0";
    const content = `import isOdd from "${specifier}";\nexport const main = (n: number) => isOdd(n);`;
    await ws.saveScript({ path, language, content });
    expect((await ws.runWait(path, { n: 3 })).json).toBe(true);
    const { lock } = await scriptAt(path);
    expect(lock).toMatch(/is-odd@2\.0\.0/);
    expect(lock).not.toMatch(/is-odd@3/);
  });
});

describe("PyPI packages", () => {
  it("a package is found by the name of the import", async () => {
    const content = "import yaml\n\ndef main(text: str):\n    return yaml.safe_load(text)\n";
    await ws.saveScript({ path: "f/t/pypi", language: "python3", content });
    expect((await ws.runWait("f/t/pypi", { text: "a: [1, 2]" })).json).toEqual({ a: [1, 2] });
    expect((await scriptAt("f/t/pypi")).lock).toMatch(/^pyyaml==\d/im);
  });

  it("a requirements comment overrides the imports", async () => {
    const content =
      "# requirements:\n# idna==3.7\n\nimport idna\n\ndef main():\n    return [idna.__version__, idna.encode('bücher').decode()]\n";
    await ws.saveScript({ path: "f/t/requirements", language: "python3", content });
    expect((await ws.runWait("f/t/requirements")).json).toEqual(["3.7", "xn--bcher-kva"]);
    expect((await scriptAt("f/t/requirements")).lock).toMatch(/^idna==3\.7\b/m);
  });

  it("a package that exists only as source is not built, because its set-up code would run", async () => {
    const content = "# requirements:\n# docopt==0.6.2\n\ndef main():\n    return 1\n";
    const hash = await ws.saveScript({ path: "f/t/source_only", language: "python3", content });
    expect((await statusOf(hash)).lock_error_logs).toContain("docopt");
    expect((await ws.runWait("f/t/source_only")).json).toMatchObject({ error: { name: "DependencyError" } });
  });
});

describe("Go modules", () => {
  it("modules are resolved from the imports, and the lock is a go.mod with its sums", async () => {
    const content = `package inner

import "github.com/google/uuid"

func main(text string) (string, error) {
	id, err := uuid.Parse(text)
	return id.Version().String(), err
}
`;
    await ws.saveScript({ path: "f/t/module", language: "go", content });
    expect((await ws.runWait("f/t/module", { text: "019a0000-0000-7000-8000-000000000000" })).json).toBe("VERSION_7");
    expect((await ws.runWait("f/t/module", { text: "x" })).json).toMatchObject({
      error: { message: expect.stringContaining("invalid UUID") },
    });
    expect((await scriptAt("f/t/module")).lock).toMatch(/github\.com\/google\/uuid v1\.\d/);
  });
});

describe("imports of other scripts", () => {
  it.each(["bun", "deno", "nodejs"])("scripts in %s import each other by absolute and relative path", async (language) => {
    await ws.call("POST", "folders/create", { body: { name: `lib_${language}` } });
    await ws.saveScript({
      path: `f/lib_${language}/base`,
      language,
      content: "export const double = (n: number) => 2 * n;\nexport function main() { return double(1); }",
    });
    await ws.saveScript({
      path: `f/lib_${language}/middle`,
      language,
      content: `import { double } from "./base.ts";\nexport const four = (n: number) => double(double(n));\nexport const main = four;`,
    });
    const path = `f/t/importer_${language}`;
    await ws.saveScript({
      path,
      language,
      content: `import { four } from "../lib_${language}/middle.ts";
import { double } from "/f/lib_${language}/base.ts";
export function main(n: number) { return [double(n), four(n)]; }`,
    });
    expect((await ws.runWait(path, { n: 5 })).json).toEqual([10, 20]);
  });

  it("scripts in python3 import each other by module name and relative path", async () => {
    await ws.call("POST", "folders/create", { body: { name: "lib_python" } });
    await ws.saveScript({
      path: "f/lib_python/base",
      language: "python3",
      content:
        "import yaml\n\ndef double(n):\n    return 2 * n\n\ndef text(value):\n    return yaml.safe_dump(value)\n\ndef main():\n    return double(1)\n",
    });
    await ws.saveScript({
      path: "f/lib_python/middle",
      language: "python3",
      content: "from .base import double\n\ndef four(n):\n    return double(double(n))\n\ndef main():\n    return four(1)\n",
    });
    await ws.saveScript({
      path: "f/t/importer",
      language: "python3",
      content:
        "from f.lib_python.middle import four\nimport f.lib_python.base as base\n\ndef main(n: int):\n    return [base.double(n), four(n), base.text([n])]\n",
    });
    expect((await ws.runWait("f/t/importer", { n: 5 })).json).toEqual([10, 20, "- 5\n"]);
  });

  it("the error names an imported script that is missing", async () => {
    for (const [language, content] of [
      ["bun", 'import { x } from "/f/t/missing_one.ts";\nexport const main = () => x;'],
      ["python3", "from f.t.missing_one import x\n\ndef main():\n    return x\n"],
    ] as const) {
      const hash = await ws.saveScript({ path: `f/t/lonely_${language}`, language, content });
      expect((await statusOf(hash)).lock_error_logs).toContain("f/t/missing_one");
    }
  });
});

describe("_ENTRYPOINT_OVERRIDE", () => {
  it.each([
    ["bun", "export const main = () => 'main';\nexport function other(a: number, b = 2) { return [a, b]; }"],
    ["deno", "export const main = () => 'main';\nexport function other(a: number, b = 2) { return [a, b]; }"],
    ["nodejs", "export const main = () => 'main';\nexport function other(a: number, b = 2) { return [a, b]; }"],
    ["python3", "def main():\n    return 'main'\n\ndef other(a, b=2):\n    return [a, b]\n"],
    ["go", 'package inner\n\nfunc main() string { return "main" }\n\nfunc other(a int, b *int) []any { return []any{a, 2} }\n'],
  ])("the option calls another function of a %s script, with its own parameters", async (language, content) => {
    const path = `f/t/entry_${language}`;
    await ws.saveScript({ path, language, content });
    expect((await ws.runWait(path)).json).toBe("main");
    expect((await ws.runWait(path, { _ENTRYPOINT_OVERRIDE: "other", a: 1 })).json).toEqual([1, 2]);
    const missing = await ws.runWait(path, { _ENTRYPOINT_OVERRIDE: "nowhere" });
    expect(missing.json).toMatchObject({ error: { message: expect.stringContaining("nowhere") } });
  });
});

describe("locks", () => {
  it.each([
    [
      "bun",
      (version: string) => `import isOdd from "is-odd${version}";\nexport const main = (n: number) => isOdd(n);`,
      "@2.0.0",
      { n: 1 },
      true,
    ],
    [
      "python3",
      (version: string) => `# requirements:\n# idna${version}\nimport idna\n\ndef main():\n    return idna.__version__\n`,
      "==3.6",
      {},
      "3.6",
    ],
  ] as const)("a lock that was resolved for %s is used again when it is sent", async (language, content, version, args, expected) => {
    const path = `f/t/lock_${language}`;
    await ws.saveScript({ path, language, content: content(version) });
    const { lock } = await scriptAt(path);
    expect(lock).toBeTruthy();
    await ws.saveScript({ path: `${path}_again`, language, content: content(""), lock });
    expect((await scriptAt(`${path}_again`)).lock).toBe(lock);
    expect((await ws.runWait(`${path}_again`, args)).json).toBe(expected);
  });

  it("a second save with equal sources reuses the lock and builds nothing", async () => {
    const content = 'import leftPad from "left-pad";\nexport const main = () => leftPad("a", 3);';
    const first = await ws.saveScript({ path: "f/t/twice", language: "bun", content });
    const second = await ws.saveScript({ path: "f/t/twice", language: "bun", content });
    expect(second).not.toBe(first);
    const { lock, job_id: job } = await statusOf(second);
    expect(lock).toBe((await statusOf(first)).lock);
    expect((await ws.get(`jobs_u/get_logs/${job}`)).text).toContain("no build was necessary");
  });
});

describe("packages that cannot be resolved", () => {
  it.each([
    ["bun", 'import x from "left-pad@99.99.99";\nexport const main = () => x;', "left-pad"],
    ["deno", 'import x from "npm:left-pad@99.99.99";\nexport const main = () => x;', "left-pad"],
    ["nodejs", 'import x from "left-pad@99.99.99";\nexport const main = () => x;', "left-pad"],
    ["python3", "# requirements:\n# idna==99.99.99\n\ndef main():\n    return 1\n", "idna"],
    [
      "go",
      'package inner\n\nimport "github.com/google/uuid/v99"\n\nfunc main() string { return uuid.NewString() }\n',
      "github.com/google/uuid",
    ],
  ])(
    "an unresolved package in %s fails the dependencies job with its log, and the script and its runs name the failure",
    async (language, content, name) => {
      const path = `f/t/unresolved_${language}`;
      const hash = await ws.saveScript({ path, language, content });
      const { lock_error_logs: log, job_id: job = "", lock } = await statusOf(hash);
      expect(lock ?? null).toBeNull();
      expect(log).toContain(name);
      expect((await scriptAt(path)).lock_error_logs).toBe(log);
      expect((await scriptAt(path)).lock ?? null).toBeNull();
      const built = await ws.completed(job);
      expect(built).toMatchObject({
        job_kind: "dependencies",
        success: false,
        script_hash: hash,
        result: { error: { name: "DependencyError" } },
      });
      expect(built["logs"]).toContain(name);
      expect((await ws.runWait(path)).json).toMatchObject({ error: { name: "DependencyError", message: expect.stringContaining(name) } });
      expect(await ws.completed(await ws.run(path))).toMatchObject({ success: false, result: { error: { name: "DependencyError" } } });
      // The next version is free of it.
      await ws.saveScript({ path, language: "bash", content: "echo mended" });
      expect((await ws.runWait(path)).json).toBe("mended");
      expect((await scriptAt(path)).lock_error_logs).toBeUndefined();
    },
  );

  it("an unresolved package in a preview fails that preview, with the log", async () => {
    const { text: job } = await ws.post("jobs/run/preview", {
      language: "bun",
      content: 'import x from "left-pad@99.99.99";\nexport const main = () => x;',
    });
    const ended = await ws.completed(job);
    expect(ended).toMatchObject({ success: false, job_kind: "preview", result: { error: { name: "DependencyError" } } });
    expect(ended["logs"]).toContain("left-pad");
  });
});

describe("install scripts of packages", () => {
  it("install scripts do not run, so that a package lacks the files that its install script creates", async () => {
    // Its install script downloads a program and writes lib/location.js; without it the path is null.
    const content = `import phantom from "phantomjs-prebuilt@2.1.16";\nexport const main = () => phantom.path;`;
    const hash = await ws.saveScript({ path: "f/t/install_script", language: "nodejs", content });
    const { lock_error_logs: failure } = await statusOf(hash);
    expect(failure).toBeUndefined();
    expect((await ws.runWait("f/t/install_script")).json).toBeNull();
  });
});

describe("signatures", () => {
  it.each([
    [
      "bun",
      `type Level = "low" | "high";
export async function main(name: string, count = 3, tags: string[], level: Level = "low", when?: Date) { return name; }`,
      {
        name: { type: "string" },
        count: { type: "number", default: 3 },
        tags: { type: "array", items: { type: "string" } },
        level: { enum: ["low", "high"], default: "low" },
        when: { format: "date-time" },
      },
      ["name", "tags"],
    ],
    [
      "python3",
      `import datetime
from typing import Literal

def main(name: str, tags: list[str], count: int = 3, level: Literal["low", "high"] = "low", when: datetime.datetime = None):
    return name
`,
      {
        name: { type: "string" },
        tags: { type: "array", items: { type: "string" } },
        count: { type: "integer", default: 3 },
        level: { enum: ["low", "high"], default: "low" },
        when: { format: "date-time" },
      },
      ["name", "tags"],
    ],
    [
      "go",
      `package inner

type Item struct {
	Name string \`json:"name"\`
}

func main(name string, count int, tags []string, item *Item) error { return nil }
`,
      {
        name: { type: "string" },
        count: { type: "integer" },
        tags: { type: "array", items: { type: "string" } },
        item: { type: "object", properties: { name: { type: "string" } } },
      },
      ["name", "count", "tags"],
    ],
    ["bash", `name="$1"\ncount="\${2:-3}"\n`, { name: { type: "string" }, count: { type: "string", default: "3" } }, ["name"]],
  ] as const)(
    "the signature of a script in %s is read from main: names in order, types, defaults, required parameters",
    async (language, content, properties, required) => {
      const path = `f/t/signature_${language}`;
      await ws.saveScript({ path, language, content }, false);
      const { inferred_schema: schema } = await scriptAt(path);
      expect(schema?.properties).toMatchObject(properties);
      expect(schema?.order).toEqual(Object.keys(properties));
      expect(schema?.required).toEqual(required);
    },
  );

  it("the signature does not change a schema that was sent", async () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      required: [],
      order: ["b", "a"],
      properties: { b: { type: "string", format: "resource-x", default: null }, a: { description: "A", ["x-odd"]: [1] } },
    };
    const content = "export const main = (a: number) => a;";
    await ws.saveScript({ path: "f/t/sent_schema", language: "bun", content, schema }, false);
    const answer = await ws.get("scripts/get/p/f/t/sent_schema");
    expect(answer.text).toContain(JSON.stringify(schema));
    expect((answer.json as Script).inferred_schema?.properties).toMatchObject({ a: { type: "number" } });
  });
});

describe("the versions that a workspace selects", () => {
  it("apply to imports without a version, and to all packages if a Python script names the list", async () => {
    const own = await newWorkspace();
    const post = (language: string, content: string, name?: string) =>
      own.post("workspace_dependencies/create", { language, content, name });
    expectStatus(await post("bun", '{"dependencies":{"is-odd":"2.0.0"}}'), 201);
    expectStatus(await post("python3", "idna==3.7\n", "shop"), 201);
    expect((await post("bun", '{"dependencies":{"a":"file:../b"}}')).status).toBe(422);
    const content = 'import isOdd from "is-odd";\nexport const main = (n: number) => isOdd(n);';
    await own.saveScript({ path: "f/t/odd", language: "bun", content });
    expect((await own.runWait("f/t/odd", { n: 3 })).json).toBe(true);
    expect((expectStatus(await own.get("scripts/get/p/f/t/odd"), 200).json as Script).lock).toMatch(/is-odd@2\.0\.0/);
    const python =
      "# workspace_dependencies: shop\n\ndef main():\n    import importlib\n    return importlib.import_module('idna').__version__\n";
    await own.saveScript({ path: "f/t/idna", language: "python3", content: python });
    expect((await own.runWait("f/t/idna")).json).toBe("3.7");
    // A new list changes a script when the script is saved next, here with the same content, and not before.
    expectStatus(await post("bun", '{"dependencies":{"is-odd":"3.0.1"}}'), 201);
    expect((await own.runWait("f/t/odd", { n: 4 })).json).toBe(false);
    expect((expectStatus(await own.get("scripts/get/p/f/t/odd"), 200).json as Script).lock).toMatch(/is-odd@2\.0\.0/);
    await own.saveScript({ path: "f/t/odd", language: "bun", content });
    expect((await own.runWait("f/t/odd", { n: 5 })).json).toBe(true);
    expect((expectStatus(await own.get("scripts/get/p/f/t/odd"), 200).json as Script).lock).toMatch(/is-odd@3\.0\.1/);
    const lists = expectStatus(await own.get("workspace_dependencies/list"), 200).json;
    expect(lists).toContainEqual(
      expect.objectContaining({ language: "bun", archived: true, content: '{"dependencies":{"is-odd":"2.0.0"}}' }),
    );
    expectStatus(await own.post("workspace_dependencies/archive/bun"), 200);
    expect((await own.get("workspace_dependencies/get_latest/bun")).status).toBe(404);
    expectStatus(await own.post("workspace_dependencies/delete/bun"), 200);
    const log = (await own.get("audit/list", { resource: "bun" })).json as { operation: string }[];
    expect(log.map(({ operation }) => operation).sort()).toEqual([
      "dependencies.archive",
      "dependencies.create",
      "dependencies.create",
      "dependencies.delete",
    ]);
    const dev = await member(own, "dev");
    expectStatus(await dev.in(own).get("workspace_dependencies/list"), 200);
    for (const [path, body] of [["create", { language: "bun", content: "{}" }], ["archive/python3"], ["delete/python3"]] as const)
      expect((await dev.in(own).post(`workspace_dependencies/${path}`, body)).status).toBe(403);
    const { content: stored } = expectStatus(await own.get("workspace_dependencies/get_latest/python3", { name: "shop" }), 200)
      .json as Script;
    expect(stored).toBe("idna==3.7\n");
  });
});
