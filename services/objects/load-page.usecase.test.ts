import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { paginate } from "../../core/objects/page.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { loadAtPaths, loadPage } from "./load-page.ts";

const COUNT = 700;
const pathOf = (at: number) => `f/t/${String(at).padStart(4, "0")}`;

let world: World;
let stored: string[];
beforeAll(async () => {
  world = await newWorld();
  await Promise.all(
    Array.from({ length: COUNT }, (_, at) =>
      world.deps.objects.put({
        ...variableObject.key(world.workspace, pathOf(at)),
        // A list leaves out a value that it cannot read.
        value: at % 50 === 7 ? {} : { path: pathOf(at), value: "v", isSecret: false, description: "", editedAtMs: 0, editedBy: "ann" },
      }),
    ),
  );
  const all = await world.deps.objects.list(variableObject.partitionKey(world.workspace));
  stored = variableObject.parseReadable(all).map(({ path }) => path);
});

/** Loads a page of the variables whose path contains a text, and counts the requests. */
async function load(part: string, query: { page?: number; per_page?: number }) {
  let requests = 0;
  const objects = {
    ...world.deps.objects,
    listAfter: (...request: Parameters<typeof world.deps.objects.listAfter>) => {
      requests += 1;
      return world.deps.objects.listAfter(...request);
    },
  };
  const list = { kind: variableObject, parts: [world.workspace] as [string], isVisible: (path: string) => path.includes(part) };
  const paths = (await loadPage({ objects }, { ...list, matches: () => true }, query)).map(({ path }) => path);
  return { paths, requests };
}

describe("a page of stored objects", () => {
  it("contains the same objects as that part of the whole list, also if a filter leaves objects out", async () => {
    expect(stored.length).toBe(COUNT - COUNT / 50);
    const page = fc.integer({ min: 0, max: 30 });
    const per_page = fc.integer({ min: 1, max: 150 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("", "0", "77", "/06", "none"), page, per_page, async (part, number, size) => {
        const query = { page: number, per_page: size };
        const expected = paginate(
          stored.filter((path) => path.includes(part)),
          query,
        );
        expect((await load(part, query)).paths).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it("costs one request if it is the first one, and reads the rest only for a later page", async () => {
    expect(await load("", { per_page: 100 })).toEqual({ paths: stored.slice(0, 100), requests: 1 });
    expect(await load("", { per_page: 100, page: 5 })).toEqual({ paths: stored.slice(400, 500), requests: 2 });
  });
});

describe("a list that is sorted by time", () => {
  it("reads only the objects that its path, or the beginning of their paths, selects", async () => {
    const read: number[] = [];
    const objects = {
      ...world.deps.objects,
      list: async (...request: Parameters<typeof world.deps.objects.list>) => {
        const found = await world.deps.objects.list(...request);
        read.push(found.length);
        return found;
      },
    };
    const pathsAt = async (query?: { path_exact?: string; path_start?: string }) =>
      (await loadAtPaths({ objects }, variableObject, world.workspace, query)).map(({ path }) => path);
    expect(await pathsAt({ path_exact: pathOf(8), path_start: "f/none" })).toEqual([pathOf(8)]);
    expect(await pathsAt({ path_exact: "f/t" })).toEqual([]);
    expect(await pathsAt({ path_start: pathOf(120).slice(0, -1) })).toEqual(stored.filter((path) => path.startsWith("f/t/012")));
    expect(await pathsAt({ path_start: "x".repeat(3000) })).toEqual([]);
    expect(await pathsAt({ path_exact: "x".repeat(3000) })).toEqual([]);
    expect(read).toEqual([1, 0, 10, 0, 0]);
    expect(await pathsAt({ path_start: "" })).toEqual(stored);
    expect(await pathsAt()).toEqual(stored);
  });
});
