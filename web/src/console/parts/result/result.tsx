import { Anchor, Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { toRequest } from "../../../../../contract/client/request.ts";
import { type Item, itemsOf } from "../../../../../core/approvals/description-items.ts";
import { basePath } from "../../../shared/base-path.ts";
import { showDirections } from "../../../shared/preview.ts";
import { Tree } from "../../../shared/tree.tsx";
import { operations } from "../../data/api.ts";
import { useWorkspace } from "../../data/me.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import { resultText } from "../../messages/result.ts";
import { copyText } from "../copy.ts";
import { download } from "../download.ts";
import { fileName, filesIn } from "./files.ts";
import { ResultTable } from "./table.tsx";

const Rich = loadOnDemand(() => import("../../../approval/description/rich.tsx"), <Text role="status">{resultText.loading}</Text>);
const PlaceMap = loadOnDemand(() => import("../../../approval/description/place-map.tsx"), <Text role="status">{resultText.loading}</Text>);

/** A longer text is shown in part, because a browser needs seconds to lay out megabytes. */
const SHOWN_CHARS = 100_000;

interface ResultProps {
  value: unknown;
  /** The name of the file that a download creates, without its extension. */
  name: string;
}

/** Shows a value: in the form that it asks for, and as JSON. */
export function Result({ value, name }: ResultProps) {
  const items = useMemo(() => itemsOf(value), [value]);
  const isRich = items.some(({ kind }) => kind !== "json");
  const [view, setView] = useState<"rich" | "json">(isRich ? "rich" : "json");
  // Only a person's request writes the whole value as text.
  const writeText = () => JSON.stringify(value, null, 2) ?? "";
  return (
    <Stack gap="sm" component="section" aria-label={resultText.label}>
      <Group gap="xs">
        {isRich && (
          <SegmentedControl
            size="xs"
            aria-label={resultText.views}
            value={view}
            onChange={(next) => setView(next === "json" ? "json" : "rich")}
            data={[
              { value: "rich", label: resultText.rich },
              { value: "json", label: resultText.json },
            ]}
          />
        )}
        <Button size="xs" variant="default" onClick={() => void copyText(writeText())}>
          {resultText.copy}
        </Button>
        <Button size="xs" variant="default" onClick={() => download(`${name}.json`, writeText(), "application/json")}>
          {resultText.download}
        </Button>
      </Group>
      <Files value={value} />
      {view === "rich" ? <Items items={items} name={name} /> : <Json value={value} />}
    </Stack>
  );
}

function Json({ value }: { value: unknown }) {
  if (typeof value !== "string" || value.length <= SHOWN_CHARS) return <Tree value={value} open />;
  return (
    <>
      <Text>{resultText.large(value.length)}</Text>
      <pre className="text">{showDirections(value.slice(0, SHOWN_CHARS))}</pre>
    </>
  );
}

function Items({ items, name }: { items: readonly Item[]; name: string }) {
  return items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
    <Shown key={index} item={item} name={name} />
  ));
}

function Shown({ item, name }: { item: Item; name: string }) {
  switch (item.kind) {
    case "text":
      return <Text className="text">{showDirections(item.text.slice(0, SHOWN_CHARS))}</Text>;
    case "markdown":
    case "html":
      return <Rich kind={item.kind} text={item.text} />;
    case "image":
      return <img className="picture" src={item.source} alt={resultText.imageAlt} />;
    case "remote":
      return (
        <Text>
          {resultText.remoteImage}{" "}
          <Anchor underline="always" href={item.address} target="_blank" rel="noopener noreferrer nofollow">
            {item.address}
          </Anchor>
        </Text>
      );
    case "table":
      return <ResultTable columns={item.columns} rows={item.rows} name={name} />;
    case "map":
      return <PlaceMap view={item.view} />;
    default:
      return <Tree value={item.value} open />;
  }
}

/** Links to the stored files that a result names. */
function Files({ value }: { value: unknown }) {
  const workspace = useWorkspace();
  const files = useMemo(() => filesIn(value), [value]);
  // A visitor of a shared run reads no files.
  if (files.length === 0 || workspace === "") return null;
  return (
    <ul aria-label={resultText.files}>
      {files.map(({ s3, storage }) => (
        <li key={`${storage} ${s3}`}>
          <a
            href={`${basePath}${toRequest(operations, "files.download", { workspace, query: { file_key: s3, storage } }).address}`}
            download
          >
            {resultText.file(fileName(s3))}
          </a>
        </li>
      ))}
    </ul>
  );
}
