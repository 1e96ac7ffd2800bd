import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../../../engine/paths.ts";

const FOLDER = path.join(root, "docs/decisions");
const INDEX = path.join(FOLDER, "README.md");
const files = globSync("[0-9]*.md", { cwd: FOLDER }).sort();

const LINK = String.raw`\[decision (\d+)\]\((\d{4}-[a-z0-9-]+\.md)\)`;
const STATUS = new RegExp(`^Status: (accepted|accepted, changed by ${LINK}(, ${LINK})*|superseded by ${LINK})$`);

interface Decision {
  file: string;
  number: number;
  title: string;
  status: string;
}

function readDecision(file: string): Decision {
  const [heading = "", , line = ""] = readFileSync(path.join(FOLDER, file), "utf8").split("\n", 3);
  const [, number, title = ""] = /^# (\d+)\. (.+)$/.exec(heading) ?? [];
  return { file, number: Number(number), title, status: STATUS.exec(line)?.[1] ?? "" };
}

const decisions = files.map(readDecision);

function createIndex(): string {
  const rows = decisions.map(({ file, number, title, status }) => `| ${number} | [${title}](${file}) | ${status} |`);
  return `# Decisions

Each record gives the reasons for one hard choice, on about half a page, with the measurement that decided it. The third line of a record is its status: \`Status: accepted\`, "accepted, changed by" with links to the later
decisions that changed a part of it, or "superseded by" with a link. Numbers are not reused, and not every number has a record. Records keep the paths of their time.

A test writes this index from the records: \`npx vitest run --project unit test/support/docs/decisions.test.ts -u\`.

| number | decision | status |
|---|---|---|
${rows.join("\n")}
`;
}

describe("docs/decisions", () => {
  it.each(decisions)("$file has its number in its title, and a status in its third line", ({ file, number, title, status }) => {
    expect({ number, title, status }).toEqual({
      number: Number(file.slice(0, 4)),
      title: expect.stringMatching(/./),
      status: expect.stringMatching(/./),
    });
  });

  it("has one record for each number", () => {
    expect(new Set(decisions.map(({ number }) => number)).size).toBe(files.length);
  });

  it.each(decisions.filter(({ status }) => status !== "accepted"))(
    "$file names later records, with their numbers",
    ({ number, status }) => {
      for (const [, other, file = ""] of status.matchAll(new RegExp(LINK, "g"))) {
        expect(decisions.map((decision) => [decision.number, decision.file])).toContainEqual([Number(other), file]);
        expect(Number(other)).not.toBe(number);
      }
    },
  );

  it("has an index with the title and the status of each record", async () => {
    await expect(createIndex()).toMatchFileSnapshot(INDEX);
  });
});
