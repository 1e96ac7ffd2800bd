import { Button, Checkbox, Group, Text, TextInput } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { logText } from "../../messages/run.ts";
import { download } from "../download.ts";
import { joinLog, type LogLines } from "./growing-log.ts";
import { readLine } from "./lines.ts";
import { continueSearch, hasSearched, startSearch } from "./search.ts";

interface LogProps {
  log: LogLines;
  /** The name of the file that a download creates. */
  name: string;
  isOpen: boolean;
}

/** Shows a log: only the visible lines are in the document, so that a log of megabytes scrolls. */
export function Log({ log, name, isOpen }: LogProps) {
  const [search, setSearch] = useState("");
  const [wraps, setWraps] = useState(true);
  const [follows, setFollows] = useState(isOpen);
  const sought = useDeferredValue(search);
  const found = useFoundLines(log, sought);
  return (
    <section aria-label={logText.label}>
      <Group gap="xs" mb="xs" align="center">
        <TextInput
          size="xs"
          aria-label={logText.search}
          placeholder={logText.search}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <Text size="sm" role="status">
          {sought !== "" && logText.found(found.length)}
        </Text>
        <Checkbox size="xs" label={logText.wrap} checked={wraps} onChange={({ target }) => setWraps(target.checked)} />
        <Checkbox size="xs" label={logText.follow} checked={follows} onChange={({ target }) => setFollows(target.checked)} />
        <Button size="xs" variant="default" onClick={() => download(name, joinLog(log), "text/plain")}>
          {logText.download}
        </Button>
      </Group>
      {log.count === 0 ? (
        <Text c="dimmed">{logText.empty}</Text>
      ) : (
        <Lines log={log} shown={sought === "" ? undefined : found} wraps={wraps} follows={follows} />
      )}
    </section>
  );
}

/** Returns the indexes of the lines that contain a text. The search continues part by part, and with what the log adds. */
function useFoundLines(log: LogLines, text: string): readonly number[] {
  const started = useMemo(() => startSearch(text), [text]);
  const [latest, setLatest] = useState(started);
  const search = latest.text === started.text ? latest : started;
  useEffect(() => {
    if (hasSearched(search, log)) return;
    const timer = setTimeout(() => setLatest(continueSearch(search, log)));
    return () => clearTimeout(timer);
  }, [search, log]);
  return search.found;
}

interface LinesProps {
  log: LogLines;
  /** The indexes of the lines to show. Absent: all. */
  shown: readonly number[] | undefined;
  wraps: boolean;
  follows: boolean;
}

const LINE_PX = 18;

function Lines({ log, shown, wraps, follows }: LinesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const count = shown?.length ?? log.count;
  const rows = useVirtualizer({ count, getScrollElement: () => frame.current, estimateSize: () => LINE_PX, overscan: 20 });
  useEffect(() => {
    if (follows && count > 0) rows.scrollToIndex(count - 1, { align: "end" });
  }, [follows, count, rows]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <div className="log" ref={frame} tabIndex={0} role="log" aria-label={logText.label} aria-live="off" data-wrap={wraps}>
      <div className="log-lines" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const number = shown?.[index] ?? index;
          return (
            <div
              key={key}
              ref={rows.measureElement}
              data-index={index}
              className="log-line"
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className="log-number">{number + 1}</span>
              <Line text={log.lines[number] ?? ""} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

const Line = memo(({ text }: { text: string }) => (
  <span className="log-text">
    {readLine(text).map(({ text: part, color, isBold }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line never move
      <span key={index} data-color={color} data-bold={isBold}>
        {part}
      </span>
    ))}
  </span>
));
