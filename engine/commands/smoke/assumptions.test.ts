import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { aStack } from "../../../lib/stack-fixture.ts";
import { type Assumption, assumptions } from "./assumptions.ts";

const PAGE = path.join(import.meta.dirname, "../../../docs/aws.md");
const START = "<!-- first hour: start -->";
const END = "<!-- first hour: end -->";

const ways = { command: "the command", languages: "the command, by its scripts in all languages" };

const rowOf = ({ title, holds, by, check, otherwise }: Assumption) =>
  `| ${title} | ${holds} | ${by === "person" ? check : ways[by]} | ${otherwise} |`;

describe("docs/aws.md", () => {
  it("lists every assumption with its check, and what to do if it does not hold", async () => {
    const text = await readFile(PAGE, "utf8");
    const [before = "", rest = ""] = text.split(START);
    const [, after = ""] = rest.split(END);
    const table = ["| what | must hold | check | otherwise |", "|---|---|---|---|", ...assumptions.map(rowOf)].join("\n");
    await expect(`${before}${START}\n${table}\n${END}${after}`).toMatchFileSnapshot(PAGE);
  });

  it("the settings that cause a rollback are valid, and only AWS refuses them", () => {
    const text = assumptions.find(({ id }) => id === "rollback")?.check ?? "";
    const settings = JSON.parse(/-c svc='(.*?)'/.exec(text)?.[1] ?? "") as Record<string, unknown>;
    const functions = Object.values(aStack(settings).template.findResources("AWS::Lambda::Function"));
    const reserved = functions.map(({ Properties }) => Number(Properties.ReservedConcurrentExecutions ?? 0));
    // Far above every quota of an account. The templates differ in nothing else that AWS could refuse first.
    expect(Math.max(...reserved)).toBeGreaterThan(100_000);
    const { template } = aStack();
    expect(Object.keys(aStack(settings).template.toJSON().Resources)).toEqual(Object.keys(template.toJSON().Resources));
  });

  it("describes the check of each assumption that only a person can check", () => {
    expect(assumptions.filter(({ by, check }) => (by === "person") !== (check !== undefined))).toEqual([]);
    expect(new Set(assumptions.map(({ id }) => id)).size).toBe(assumptions.length);
  });
});
