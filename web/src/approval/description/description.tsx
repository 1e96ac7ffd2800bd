import { Anchor, Stack, Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import { assertNever } from "../../../../contract/utilities/assert-never.ts";
import { type Item, itemsOf } from "../../../../core/approvals/description-items.ts";
import { Tree } from "../../shared/tree.tsx";
import { DataTable } from "./data-table.tsx";

const Rich = lazy(() => import("./rich.tsx"));
const PlaceMap = lazy(() => import("./place-map.tsx"));

/** Shows the step's description. */
export function Description({ description }: { description: unknown }) {
  const items = itemsOf(description);
  if (items.length === 0) return null;
  return (
    <section aria-label="Description">
      <Stack gap="md">
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the description of a step does not change while it waits
          <Suspense key={index} fallback={<Text role="status">Loading…</Text>}>
            <Shown item={item} />
          </Suspense>
        ))}
      </Stack>
    </section>
  );
}

function Shown({ item }: { item: Item }) {
  switch (item.kind) {
    case "text":
      return <Text className="text">{item.text}</Text>;
    case "markdown":
    case "html":
      return <Rich kind={item.kind} text={item.text} />;
    case "image":
      return <img className="picture" src={item.source} alt="Description from the step" />;
    case "remote":
      return (
        <Text>
          An image from another site is not loaded:{" "}
          <Anchor underline="always" href={item.address} target="_blank" rel="noopener noreferrer nofollow">
            {item.address}
          </Anchor>
        </Text>
      );
    case "table":
      return <DataTable columns={item.columns} rows={item.rows} />;
    case "map":
      return <PlaceMap view={item.view} />;
    case "json":
      return <Tree value={item.value} open />;
    default:
      return assertNever(item);
  }
}
