import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const FOLDERS = ["core", "services", "functions", "contract", "aws", "lib", "cli", "engine", "web/src", "bin", "ports"];
const NOT_OURS = /(^|\/)(node_modules|fixtures|dist)\//;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name)),
).filter((path) => !NOT_OURS.test(path));

/** The product's code without comments, by file. */
const sources = new Map(
  files
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !/\.test\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(path, "utf8")] as const),
);
const withoutComments = (source: string) => source.replace(/^\s*(\/\*[\s\S]*?\*\/|\/\/.*)$/gm, "").replace(/ \/\/ .*$/gm, "");

const countCode = (pattern: RegExp, folder = "") =>
  [...sources]
    .filter(([path]) => path.startsWith(folder))
    .reduce((count, [, source]) => count + (withoutComments(source).match(pattern)?.length ?? 0), 0);

const countFolders = (most: number) => {
  const sizes = Map.groupBy(files, dirname);
  return [...sizes.values()].filter((entries) => entries.length > most).length;
};

/**
 * The figures of the code's structure. `target` is where each has to arrive, and `bound` where it is. A bound may only go down: a change that lowers a value
 * lowers its bound, and one that would raise it is written another way.
 */
const figures: { figure: string; target: number; bound: number; count: () => number }[] = [
  {
    figure: "values of stored objects parsed by a schema instead of their definition",
    target: 0,
    bound: 0,
    count: () => countCode(/[sS]chema\.(?:parse|safeParse)\((?:found|stored|item)\??\.value\b/g),
  },
  {
    figure: "partition prefixes written by hand in lib/",
    target: 0,
    bound: 0,
    count: () => countCode(/["'`][A-Z][A-Z_]+#/g, "lib/"),
  },
  {
    figure: "types of dependencies (*Deps)",
    target: 60,
    bound: 30,
    count: () => countCode(/^(?:export )?(?:interface|type) \w*Deps\b/gm),
  },
  { figure: "types taken from a function's parameters", target: 0, bound: 0, count: () => countCode(/\bParameters<typeof\b/g) },
  {
    figure: "conditional spreads of absent fields",
    target: 20,
    bound: 9,
    count: () => countCode(/\.\.\.\([^()]*=== undefined \? \{\} :/g),
  },
  {
    figure: "casts that no type checks (as never, as unknown as, any)",
    target: 15,
    bound: 3,
    count: () => countCode(/\bas never\b|\bas unknown as\b|: any\b(?=\s*[,;)=|\]}>]|\[\]|$)|\bas any\b|<any>/gm),
  },
  {
    figure: "variables that are not named by a noun",
    target: 0,
    bound: 0,
    count: () => countCode(/\b(?:const|let) (?:place|own|sent|known|wanted|what|given|made|held|said|way|look|begin|removed|received)\b/g),
  },
  {
    figure: "files with more than 400 lines",
    target: 0,
    bound: 0,
    count: () => [...sources.values()].filter((source) => source.split("\n").length - 1 > 400).length,
  },
  { figure: "folders with more than 18 files", target: 0, bound: 8, count: () => countFolders(18) },
];

// These count, and prove no behaviour: each figure shows in one number whether the structure moves towards its target.
describe("the figures of the structure", () => {
  it.each(figures)("$figure do not grow", ({ figure, target, bound, count }) => {
    const value = count();
    console.info(`${figure}: ${value}, bound ${bound}, target ${target}`);
    expect(value, figure).toBeLessThanOrEqual(bound);
  });
});
