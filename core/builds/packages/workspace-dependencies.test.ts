import { describe, expect, it } from "vitest";
import { listNpmPackages, listPythonRequirements } from "./packages.ts";
import { findDependencyFile, findDependencyLanguage, findNamedDependencies, parseDependencies } from "./workspace-dependencies.ts";

describe("a list of package versions", () => {
  it("is a package.json, requirements, or a go.mod", () => {
    expect(parseDependencies("bun", '{"name":"x","dependencies":{"lodash":"^4.17.0","@scope/a":"1 || 2"}}')).toEqual({
      lodash: "^4.17.0",
      "@scope/a": "1 || 2",
    });
    expect(parseDependencies("bun", "{}")).toEqual({});
    expect(parseDependencies("python3", "Requests==2.31.0 # pinned\n\nPyYAML>=6\n")).toEqual({
      requests: "Requests==2.31.0",
      pyyaml: "PyYAML>=6",
    });
    const mod = "module x\n\ngo 1.24\n\nrequire (\n\tgithub.com/a/b v1.2.3 // indirect\n)\nrequire github.com/c/d/v2 v2.0.0\n";
    expect(parseDependencies("go", mod)).toEqual({ "github.com/a/b": "v1.2.3", "github.com/c/d/v2": "v2.0.0" });
  });

  it.each([
    ["bun", "not JSON"],
    ["bun", '{"dependencies":{"a":"git+https://example.com/a"}}'],
    ["bun", '{"dependencies":{"a":"file:../secret"}}'],
    ["bun", '{"dependencies":{"a":"npm:b@1"}}'],
    ["bun", '{"dependencies":{"../a":"1"}}'],
    ["bun", '{"dependencies":{"..":"1"}}'],
    ["bun", '{"dependencies":{"@../a":"1"}}'],
    ["bun", '{"dependencies":{"a":1}}'],
    ["go", "require github.com/a/../b v1.0.0"],
    ["go", `require github.com/${"a".repeat(1000)} v1.0.0`],
    ["python3", "-r /etc/passwd"],
    ["python3", "--index-url https://example.com"],
    ["python3", "a @ https://example.com/a.whl"],
    ["go", "replace github.com/a/b => ../b"],
    ["go", "require github.com/a/b latest"],
    ["go", "require ../b v1.0.0"],
  ] as const)("for %s cannot contain %j, which is no package of the registry", (language, content) => {
    expect(parseDependencies(language, content)).toEqual(expect.stringMatching(/^.+\.$/s));
  });

  it("has at most 1000 entries", () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`p${at}`, "1"]));
    expect(parseDependencies("bun", JSON.stringify({ dependencies: many }))).toContain("1000");
  });

  it.each([
    ["python3", "a==1; python_version<'3.9'\na==2; python_version>='3.9'"],
    ["go", "require github.com/a/b v1.0.0\nrequire github.com/a/b v1.1.0"],
  ] as const)("for %s cannot have two entries for one package, of which one would be ignored", (language, content) => {
    expect(parseDependencies(language, content)).toContain("several entries");
    const [line = ""] = content.split("\n");
    expect(parseDependencies(language, `${line}\n${line}`)).toEqual(parseDependencies(language, line));
  });

  it.each([
    ["bun", "// workspace_dependencies: shop\nimport x from 'x';", "shop"],
    ["bun", "//package_json: shop\nimport x from 'x';", "shop"],
    ["go", "// go_mod: shop\npackage inner", "shop"],
    ["bun", "\uFEFF// workspace_dependencies: shop\r\nimport x from 'x';\r\n", "shop"],
    ["python3", "#!/usr/bin/env python3\n\n# A script.\n# workspace_dependencies: shop-2\nimport x", "shop-2"],
    ["bun", "import x from 'x';\n// workspace_dependencies: shop", undefined],
    ["bun", "// workspace_dependencies: ../shop\n", undefined],
    // A comment of another language selects no list, and this one lists a package.
    ["go", "// package_json: shop\npackage inner", undefined],
    ["python3", "# requirements: shop\nimport x", undefined],
  ] as const)("is named in a comment at the beginning of a script: %s, %j", (language, source, name) => {
    expect(findNamedDependencies(language, source)).toBe(name);
  });

  it.each([
    ["bun", undefined, "the default"],
    ["bun", "next", "the named one"],
    ["python3", undefined, "of Python"],
    ["python3", "next", undefined],
    ["go", undefined, "of Go"],
  ] as const)("is found in the file of its language and name: %s, %s", (language, name, content) => {
    const files = {
      "dependencies/package.json": "the default",
      "dependencies\\next.package.json": "the named one",
      "requirements.in": "of Python",
      "dependencies/go.mod": "of Go",
      "other/go.mod": "of another folder",
    };
    expect(findDependencyFile(files, language, name)).toBe(content);
  });

  it("is shared by the languages with npm packages", () => {
    expect((["bun", "deno", "nodejs", "python3", "go", "bash"] as const).map(findDependencyLanguage)).toEqual([
      "bun",
      "bun",
      "bun",
      "python3",
      "go",
      undefined,
    ]);
  });
});

describe("the packages of a script", () => {
  it("have the versions of the list, unless an import specifies another one", () => {
    const files = { "f/a/b": 'import "lodash"; import "zod@4"; import "left-pad"; import "toString";' };
    expect(listNpmPackages(files, { lodash: "^4.17.0", zod: "3", unused: "1" })).toEqual({
      lodash: "^4.17.0",
      zod: "4",
      "left-pad": "latest",
      toString: "latest",
    });
  });

  it("of Python are those that are imported, or all of a list that the script names", () => {
    const files = { "f/a/b": "import yaml\nimport requests" };
    const entries = { pyyaml: "PyYAML==6.0.1", numpy: "numpy==2" };
    expect(listPythonRequirements(files, "3.12", { entries, all: false })).toEqual(["PyYAML==6.0.1", "requests"]);
    expect(listPythonRequirements(files, "3.12", { entries, all: true })).toEqual(["PyYAML==6.0.1", "numpy==2", "requests"]);
  });
});
