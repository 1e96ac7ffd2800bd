import {
  type AttributeValue,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  paginateQuery,
  paginateScan,
} from "@aws-sdk/client-dynamodb";
import { engineClientConfig } from "../floors.ts";

/** An item as the table stores it. */
export type Item = Record<string, AttributeValue>;

const AT_ONCE = 4;
const PER_REQUEST = 25;

/** The tables of an instance. The benchmark writes copies of items into them, because as many real saves and runs would take hours. */
export class Tables {
  readonly #client: DynamoDBClient;

  constructor(endpoint: string) {
    this.#client = new DynamoDBClient(engineClientConfig(endpoint));
  }

  /** Finds an item and the name of the table that contains it. `table`: the only one that may contain it. */
  async find(pk: string, sk: string, table?: string): Promise<{ item: Item; name: string }> {
    for (const name of table === undefined ? await this.#names() : [table]) {
      const found = await this.#client
        .send(new GetItemCommand({ TableName: name, Key: { pk: { S: pk }, sk: { S: sk } } }))
        .catch(() => undefined);
      if (found?.Item) return { item: found.Item, name };
    }
    throw new Error(`The item ${pk} ${sk} is in no table.`);
  }

  /** Reads all items of a partition. */
  async readPartition(name: string, pk: string): Promise<Item[]> {
    const pages = paginateQuery(
      { client: this.#client },
      { TableName: name, KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": { S: pk } } },
    );
    return collect(pages);
  }

  /** Finds all items of a table whose text contains a text. */
  async search(name: string, text: string): Promise<Item[]> {
    const pages = paginateScan({ client: this.#client }, { TableName: name });
    return (await collect(pages)).filter((item) => JSON.stringify(item).includes(text));
  }

  async writeAll(name: string, items: readonly Item[]): Promise<void> {
    const requests = Array.from({ length: Math.ceil(items.length / PER_REQUEST) }, (_, at) =>
      items.slice(at * PER_REQUEST, (at + 1) * PER_REQUEST),
    );
    for (let at = 0; at < requests.length; at += AT_ONCE) {
      await Promise.all(
        requests.slice(at, at + AT_ONCE).map((part) => {
          const puts = part.map((item) => ({ PutRequest: { Item: item } }));
          return this.#client.send(new BatchWriteItemCommand({ RequestItems: { [name]: puts } }));
        }),
      );
    }
  }

  async #names(): Promise<string[]> {
    return (await this.#client.send(new ListTablesCommand())).TableNames ?? [];
  }
}

async function collect(pages: AsyncIterable<{ Items?: Item[] | undefined }>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const { Items = [] } of pages) items.push(...Items);
  return items;
}

/** Copies an item with other texts, wherever they are in it. */
export function copyItem(item: Item, texts: Readonly<Record<string, string>>): Item {
  const changed = Object.entries(texts).reduce((json, [from, to]) => json.replaceAll(from, to), JSON.stringify(item));
  return JSON.parse(changed) as Item;
}
