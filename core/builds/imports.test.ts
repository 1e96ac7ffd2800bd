import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRunner } from "../../contract/languages.ts";
import { anyText } from "../../test/builders/any-text.ts";
import { readGoSource } from "./go-source.ts";
import { findMissingScript, listScriptImports } from "./imports.ts";
import { readSpecifier } from "./packages/package-specifiers.ts";
import { ImportProblem, listNpmPackages, listPackages, listPythonRequirements } from "./packages/packages.ts";
import { isRequirement } from "./packages/requirement.ts";
import { findDistribution, isStandardModule } from "./python-distributions.ts";
import { readRequirements } from "./python-requirements.ts";
import { isSafeScriptPath } from "./script-paths.ts";

describe("script imports", () => {
  it.each([
    ["./other.ts", "f/ops/other"],
    ["./deep/other", "f/ops/deep/other"],
    ["../x/other.bun.ts", "f/x/other"],
    ["/f/folder/name.ts", "f/folder/name"],
    ["/f/folder/name", "f/folder/name"],
    ["f/folder/name", "f/folder/name"],
    ["u/user/name.js", "u/user/name"],
  ])("reads %s in TypeScript", (specifier, path) => {
    for (const language of ["bun", "deno", "nodejs"] as const) {
      expect(listScriptImports(language, "f/ops/hello", `import { x } from ${JSON.stringify(specifier)};`)).toEqual([path]);
    }
  });

  it("re-exports, require and dynamic imports are found, and types, packages and the script itself are omitted", () => {
    const source = `
      import type { A } from "./types.ts";
      import { type B, type C } from "./more-types.ts";
      import { type D, d } from "./values.ts";
      export * from "./all.ts";
      export { x } from "./some.ts";
      export default "./text.ts";
      const lazy = () => import("./lazy.ts"), old = require("./old.js");
      import "lodash"; import fs from "node:fs"; import "./hello.ts"; import "../../../above.ts";`;
    expect(listScriptImports("bun", "f/ops/hello", source)).toEqual(["f/ops/values", "f/ops/all", "f/ops/some", "f/ops/lazy", "f/ops/old"]);
  });

  it("a Python import yields both possible scripts", () => {
    const source =
      "from f.ops.tools import clean as c\nimport u.admin.lib\nfrom .near import x\nfrom . import beside\nfrom ..other.far import y\nimport yaml, f.ops\n";
    expect(listScriptImports("python3", "f/ops/hello", source)).toEqual([
      "f/ops/tools",
      "f/ops/tools/clean",
      "u/admin/lib",
      "f/ops/near",
      "f/ops/near/x",
      "f/ops/beside",
      "f/other/far",
      "f/other/far/y",
    ]);
  });

  it("a Python script that is missing in all its readings is reported", () => {
    const missing = (source: string, ...known: string[]) =>
      findMissingScript("python3", "f/ops/hello", source, new Set(["f/ops/hello", ...known]));
    expect(missing("from f.ops.tools import clean", "f/ops/tools")).toBeUndefined();
    expect(missing("from f.ops.tools import clean", "f/ops/tools/clean")).toBeUndefined();
    expect(missing("from f.ops.tools import clean")).toBe("f/ops/tools");
    expect(missing("from . import near, far", "f/ops/near")).toBe("f/ops/far");
    expect(missing("import f.ops.deep", "f/ops/deep/one")).toBeUndefined();
    expect(missing("import f.ops, yaml")).toBeUndefined();
    expect(missing("from .near import *")).toBe("f/ops/near");
  });

  it("no source throws", () => {
    fc.assert(
      fc.property(fc.constantFrom("bun" as const, "python3" as const), anyText(), (language, source) => {
        const wild = `import { ${source} } from "${source}"; from .${source} import ${source}`;
        expect(listScriptImports(language, "f/a/b", wild)).toBeInstanceOf(Array);
      }),
    );
  });
});

describe("npm packages", () => {
  it.each([
    ["lodash", { lodash: "latest" }],
    ["lodash@4.17.21", { lodash: "4.17.21" }],
    ["lodash/fp", { lodash: "latest" }],
    ["@scope/pkg@^1/sub", { "@scope/pkg": "^1" }],
    ["npm:chalk@5", { chalk: "5" }],
    ["npm:/@scope/pkg", { "@scope/pkg": "latest" }],
    ["node:fs", {}],
    ["fs/promises", {}],
    ["bun:sqlite", {}],
    ["bun", {}],
  ])("reads %s", (specifier, packages) => {
    expect(listNpmPackages({ "f/a/b": `import * as x from "${specifier}";` })).toEqual(packages);
  });

  it("packages of all files are merged and sorted, with the version that one file specifies", () => {
    const files = { "f/a/b": 'import "zod"; import "chalk";', "f/a/c": 'import "chalk@5";' };
    expect(Object.entries(listNpmPackages(files))).toEqual([
      ["chalk", "5"],
      ["zod", "latest"],
    ]);
  });

  it("two versions of one package are rejected", () => {
    const files = { "f/a/b": 'import "zod@3";', "f/a/c": 'import "zod@4";' };
    expect(() => listNpmPackages(files)).toThrow(/f\/a\/b imports zod@3 and f\/a\/c imports zod@4/);
  });

  it.each([
    "https://host.example/x.ts",
    "jsr:@std/path",
    "lodash@file:../x",
    "lodash@git+ssh://x",
    "lodash@npm:other",
    "../../../x",
    "UP per",
  ])("%s is rejected with the line", (specifier) => {
    expect(() => listNpmPackages({ "f/a/b": `\nimport x from ${JSON.stringify(specifier)};` })).toThrow(ImportProblem);
    expect(() => listNpmPackages({ "f/a/b": `\nimport x from ${JSON.stringify(specifier)};` })).toThrow("f/a/b.ts:2: ");
  });

  it("JSX adds its runtime", () => {
    expect(listNpmPackages({ "f/a/b": "export const main = () => <p>{1}</p>" })).toEqual({ react: "latest" });
    expect(listNpmPackages({ "f/a/b": "/** @jsxImportSource preact */\nexport const main = () => <p>{1}</p>" })).toEqual({
      preact: "latest",
    });
    expect(listNpmPackages({ "f/a/b": "export const main = (x: unknown) => <string>x" })).toEqual({});
  });
});

describe("readSpecifier", () => {
  it("the path inside a package is separate from its version", () => {
    expect(readSpecifier("f/a/b", "@scope/pkg@^1.2/sub/deep.js")).toEqual({
      kind: "package",
      name: "@scope/pkg",
      version: "^1.2",
      subpath: "/sub/deep.js",
    });
  });
});

describe("the client libraries", () => {
  it("a client library is not a registry package, unless an import specifies a version or a subpath", () => {
    const source = 'import "svc-client"; import "npm:svc-client";';
    expect(listNpmPackages({ "f/a/b": source })).toEqual({});
    expect(listNpmPackages({ "f/a/b": 'import "svc-client@1.5.0";', "f/a/c": source })).toEqual({ "svc-client": "1.5.0" });
    expect(listNpmPackages({ "f/a/b": 'import "svc-client/dist/x";' })).toEqual({ "svc-client": "latest" });
  });

  it("a package with our name is never taken from the registry", () => {
    const source = 'import "svc-workflow-client"; import "npm:svc-workflow-client"; import "svc-workflow-client@1.5.0";';
    expect(listNpmPackages({ "f/a/b": source })).toEqual({});
  });

  it("other clients of this family of APIs are taken from the registry", () => {
    expect(listNpmPackages({ "f/a/b": 'import * as wmill from "windmill-client";' })).toEqual({ "windmill-client": "latest" });
    expect(listPythonRequirements({ "f/a/b": "import wmill" }, "3.12")).toEqual(["wmill"]);
  });

  it("a client library is not a requirement of a Python script, unless the script lists it", () => {
    expect(listPythonRequirements({ "f/a/b": "import svc\nfrom svc import get_variable\nimport svc.x" }, "3.12")).toEqual([]);
    expect(listPythonRequirements({ "f/a/b": "# extra_requirements:\n# svc==1.5.0\nimport svc" }, "3.12")).toEqual(["svc==1.5.0"]);
  });
});

describe("Python requirements", () => {
  const of = (source: string, version = "3.12") => listPythonRequirements({ "f/a/b": source }, version);

  it("modules are mapped to distributions", () => {
    expect(
      of("import yaml, requests\nfrom PIL import Image\nimport cv2 as c\nfrom bs4 import X\nimport sklearn.svm\nimport psycopg2"),
    ).toEqual(["beautifulsoup4", "opencv-python", "pillow", "psycopg2-binary", "pyyaml", "requests", "scikit-learn"]);
  });

  it("the distribution below a shared name is found", () => {
    expect(of("from google.cloud import storage, bigquery\nimport google.protobuf\nfrom azure.storage.blob import BlobClient")).toEqual([
      "azure-storage-blob",
      "google-cloud-bigquery",
      "google-cloud-storage",
      "protobuf",
    ]);
  });

  it("the standard library of the target's version, scripts and type-only imports are omitted", () => {
    const source =
      "import os, json, __future__\nfrom f.ops.x import y\nfrom . import z\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import pandas\nimport tomllib";
    expect(of(source)).toEqual([]);
    expect(of(source, "3.10")).toEqual(["tomllib"]);
  });

  it("a list of requirements replaces the imports, and extra requirements are added", () => {
    expect(of("# requirements:\n# pandas==2.2.0\n# numpy>=1,<3  # why\n\nimport yaml")).toEqual(["numpy>=1,<3", "pandas==2.2.0"]);
    expect(of("#requirements: httpx[http2]\nimport yaml")).toEqual(["httpx[http2]"]);
    expect(of("#extra_requirements:\n#psycopg2-binary\nimport sqlalchemy")).toEqual(["psycopg2-binary", "sqlalchemy"]);
    expect(
      of('# /// script\n# requires-python = ">=3.11"\n# dependencies = [\n#   "rich>=13", # nice\n#   \'attrs\'\n# ]\n# ///\nimport yaml'),
    ).toEqual(["attrs", "rich>=13"]);
    expect(of("# requirements:\nimport yaml")).toEqual([]);
  });

  it.each([
    "-r /etc/passwd",
    "--index-url http://x",
    "-e .",
    "x @ file:///etc",
    "x @ git+https://h/x",
    "/tmp/x.whl",
    "./x",
    "https://h/x.whl",
  ])("refuses %s", (line) => {
    expect(() => of(`# requirements:\n# ${line}\n`)).toThrow(ImportProblem);
  });

  it("requirements are recognised in linear time", () => {
    for (const good of ["a", "A.b_c-d", "a==1.0.*", "a >= 1 , < 2", "a[x,y]~=1.1", "a (>1)", 'a==1 ; python_version < "3.8"'])
      expect(isRequirement(good)).toBe(true);
    for (const bad of ["", "-a", "a b", "a==", `a${" ".repeat(900)}!`, "a\n-r x"]) expect(isRequirement(bad)).toBe(false);
    expect(readRequirements("").only).toBeUndefined();
  });
});

describe("packages of a build", () => {
  it("packages are listed in the notation of each tool", () => {
    const target = { os: "linux", arch: "x64", python: "3.12", node: "24" } as const;
    expect(listPackages({ language: "bun", files: { "f/a/b": 'import "zod@4"' }, target })).toEqual(["zod@4"]);
    expect(listPackages({ language: "python3", files: { "f/a/b": "import yaml" }, target })).toEqual(["pyyaml"]);
    expect(listPackages({ language: "bash", files: { "f/a/b": "" }, target })).toEqual([]);
  });
});

describe("python data", () => {
  it("a module with the name of a distribution is that distribution", () => {
    expect(["requests", "slack_sdk", "boto3"].map(findDistribution)).toEqual(["requests", "slack-sdk", "boto3"]);
    expect(isStandardModule("distutils", "3.11")).toBe(true);
    expect(isStandardModule("distutils", "3.13")).toBe(false);
  });
});

describe("isSafeScriptPath", () => {
  it("safe paths are inside the build's directory", () => {
    for (const path of ["f/ops/hello", "u/a.b/c-d_e", "preview", "f/a@b/c"]) expect(isSafeScriptPath(path)).toBe(true);
    for (const path of ["", "/f/a", "f/../x", "f//a", "f/.", "a\\b", "a b", "a/", "a\0"]) expect(isSafeScriptPath(path)).toBe(false);
  });
});

describe("comments that select versions or a runner", () => {
  it("a module is required by a comment of a Go script, and not by a text", () => {
    const source =
      "package inner\n\n//require a.example/x v1.0.0\nvar text = `\n//require b.example/y v2.0.0\n`\n// require c.example/z v0.1.0-rc1\n";
    expect(readGoSource(source).required).toEqual({ "a.example/x": "v1.0.0", "c.example/z": "v0.1.0-rc1" });
  });

  it("the runner is selected in the first line, even after a byte order mark", () => {
    expect([findRunner("bun", "//nodejs\n"), findRunner("bun", "\uFEFF// nodejs\r\n"), findRunner("bun", "x\n//nodejs")]).toEqual([
      "nodejs",
      "nodejs",
      "bun",
    ]);
  });
});
