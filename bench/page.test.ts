import { expect, it } from "vitest";
import { type StoredRun, withTables } from "./page.ts";

const run: StoredRun = {
  machine: "2 × CPU",
  at: "2026-11-21T10:00:00.000Z",
  quick: false,
  rows: [
    {
      section: "Jobs",
      line: "sync",
      value: 29.949,
      unit: "ms",
      note: "p95 35.6",
      floor: { name: "bare invoke", value: 2.5 },
      target: { atMost: 30 },
    },
    { section: "Jobs", line: "sync, 16 clients", value: 1234.4, unit: "/s", target: { atLeast: 2000 } },
    { section: "Memory", line: "at rest", value: 0.0512, unit: "MB" },
  ],
};

it("the page contains the tables of the stored run, and its other text is unchanged", () => {
  const page = (tables: string) => `# Page\n<!-- figures: npm run bench -- --page -->\n${tables}\n<!-- end of figures -->\nText\n`;
  const expected = page(`Taken on 2026-11-21: 2 × CPU.

### Jobs

| what | figure | × floor | target | |
|---|---|---|---|---|
| sync | 29.9 ms | 12 × bare invoke | at most 30, met | p95 35.6 |
| sync, 16 clients | 1234 /s |  | at least 2000, missed |  |

### Memory

| what | figure | × floor | target | |
|---|---|---|---|---|
| at rest | 0.0512 MB |  |  |  |`);
  expect(withTables(page("old"), run)).toBe(expected);
  expect(withTables(expected, run)).toBe(expected);
  expect(() => withTables("# Page", run)).toThrow("no place");
});
