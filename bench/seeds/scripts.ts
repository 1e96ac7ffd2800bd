import { shardOf } from "../../core/search/index-items.ts";
import type { HttpClient } from "../http-client.ts";
import { copyItem, type Tables } from "./tables.ts";

const PATH = "f/bench/searched_seed";
/** The partitions of a path: its versions, its head, its entry in the list, and its entry in the search. */
const COPIED = /^(H|R|S|SEARCH)#/;

export const seededPath = (at: number): string => `f/bench/searched_${at}_end`;

/** Saves a script, and copies it to many paths, as lists and the search have them. The copies share its version. */
export async function createScripts(client: HttpClient, tables: Tables, workspace: string, count: number): Promise<void> {
  const content = "echo searched\n".repeat(50);
  await client.ask.scripts.create({
    workspace,
    body: { path: PATH, summary: "A script to find", description: "", language: "bash", content },
  });
  const { name } = await tables.find(`S#${workspace}`, PATH);
  const items = (await tables.search(name, PATH)).filter(({ pk }) => COPIED.test(pk?.S ?? ""));
  const shard = shardOf("script", PATH);
  const copies = Array.from({ length: count }, (_, at) => {
    const path = seededPath(at);
    const texts = { [PATH]: path, [`#${workspace}#${shard}"`]: `#${workspace}#${shardOf("script", path)}"` };
    return items.map((item) => copyItem(item, texts));
  });
  await tables.writeAll(name, copies.flat());
}
