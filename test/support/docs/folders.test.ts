import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../../engine/paths.ts";

/** The parts of a rule that the page shows. */
interface Rule {
  name: string;
  comment?: string;
  from: { path?: string };
  to: { path?: string; pathNot?: string; dependencyTypesNot?: string[] };
}
const { forbidden } = createRequire(import.meta.url)("../../../.dependency-cruiser.cjs") as { forbidden: Rule[] };

const PAGE = path.join(root, "docs/architecture.md");
const folders = globSync("*/**/*.{ts,mjs}", { cwd: root, exclude: ["node_modules/**", ".*/**", "dist/**", "cdk.out/**", "docs/**"] })
  .map((file) => file.split("/", 1)[0] ?? "")
  .filter((folder, index, all) => all.indexOf(folder) === index)
  .sort();

const ruleNamed = (name: string) => forbidden.find((rule) => rule.name === name);
/** The rules that let some folders import types of others. */
const typeRules = ["services-use-adapters-by-type", "types-only-of-neighbours", "ports-name-types-of-tables"].map(ruleNamed);
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");

/** Returns what a folder may import, and from where it may import types alone. */
function describeImports(folder: string): { values: string; types: string } {
  const rule = ruleNamed(`${folder}-imports`);
  if (!rule) return { values: forbidden.find(({ from }) => from.path?.startsWith(`^${folder}/`))?.comment ?? "all", types: "" };
  // The rule of a folder allows `^(folder|first|second)(/|$)`.
  const allowed =
    /^\^\((.*)\)\(\/\|\$\)$/
      .exec(rule.to.pathNot ?? "")?.[1]
      ?.split("|")
      .slice(1) ?? [];
  const typeRule = typeRules.find((each) => new RegExp(each?.from.path ?? "").test(`${folder}/`));
  const types = [...folders, "runners/protocol.ts"].filter(
    (other) =>
      other !== folder && !allowed.includes(other) && !new RegExp(typeRule?.to.path ?? "").test(`${other}/`.replace(".ts/", ".ts")),
  );
  return { values: code(allowed.map((name) => name.replace("?", ""))), types: typeRule ? code(types) : "" };
}

/** The order of the folders of `services/`: each rule names the folders after one of them. */
const services = forbidden.flatMap(({ name, to }) => {
  const [, folder] = /^services-([\w-]+)-imports-no-later-folder$/.exec(name) ?? [];
  return folder ? [folder, ...(/\(([\w-]+)\)/.exec(to.path ?? "")?.slice(1) ?? [])] : [];
});

/** Replaces the rows between two markers. The cell with the content of a folder is prose of the page, and remains. */
function replaceTable(page: string, marker: string, names: readonly string[], rowOf: (name: string, content: string) => string): string {
  const [start, end] = [`<!-- ${marker}: start -->\n`, `<!-- ${marker}: end -->`];
  const [before, rest = ""] = page.split(start);
  const [table = "", after] = rest.split(end);
  if (before === undefined || after === undefined) throw new Error(`${PAGE} lacks its markers ${start} and ${end}.`);
  const [heading, line, ...rows] = table.trim().split("\n");
  const contents = new Map(rows.map((row) => row.split(" | ").slice(0, 2) as [string, string]).map(([name, text]) => [name, text]));
  const written = names.map((name) => {
    const [, content = ""] = [...contents].find(([cell]) => cell.replace(/^\| `|\/?`$/g, "") === name) ?? [];
    return rowOf(name, content.replace(/ \|$/, ""));
  });
  return `${before}${start}${[heading, line, ...written].join("\n")}\n${end}${after}`;
}

function createPage(): string {
  const page = readFileSync(PAGE, "utf8");
  const rowOf = (folder: string, content: string) => {
    const { values, types } = describeImports(folder);
    return `| \`${folder}/\` | ${content} | ${values} | ${types} |`;
  };
  const withFolders = replaceTable(page, "folders", folders, rowOf);
  return replaceTable(withFolders, "services", services, (folder, content) => `| \`${folder}\` | ${content} |`);
}

describe("docs/architecture.md", () => {
  it("lists every folder with the imports that the rules allow", async () => {
    await expect(createPage()).toMatchFileSnapshot(PAGE);
  });

  it("describes every folder", () => {
    expect(createPage()).not.toMatch(/^\| `[\w/]+` \| +\|/m);
  });
});
