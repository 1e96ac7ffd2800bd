import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";

interface VirtualListProps<T> {
  label: string;
  className: string;
  entries: readonly T[];
  rowPx: number;
  keyOf: (entry: T) => string;
  children: (entry: T) => ReactNode;
}

/** A list of which only the visible rows are in the document. */
export function VirtualList<T>({ label, className, entries, rowPx, keyOf, children }: VirtualListProps<T>) {
  const frame = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: 10,
    getItemKey: (index) => {
      const entry = entries[index];
      return entry === undefined ? index : keyOf(entry);
    },
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <section className={`virtual ${className}`} ref={frame} tabIndex={0} aria-label={label}>
      <ul className="plain-list virtual-rows" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const entry = entries[index];
          return (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              className="virtual-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              {entry !== undefined && children(entry)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
