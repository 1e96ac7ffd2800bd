import { useState } from "react";
import { firstEntries, shorten } from "./preview.ts";

/** More entries are shown on request, because a list of a million blocks the browser. */
const SHOWN_AT_ONCE = 200;
/** A longer text is shown in part. */
const SHOWN_CHARS = 10_000;
const SHOWN_NAME_CHARS = 200;

interface TreeProps {
  value: unknown;
  name?: string;
  open?: boolean;
}

/** Shows JSON as a tree with collapsible objects and lists. Only what is open is in the document. */
export function Tree({ value, name, open = false }: TreeProps) {
  const [isOpen, setIsOpen] = useState(open);
  const label = name === undefined ? null : <span className="name">{shorten(name, SHOWN_NAME_CHARS)}: </span>;
  if (typeof value !== "object" || value === null) {
    return (
      <div className="tree">
        {label}
        <span className="value">{shorten(value === undefined ? "" : String(value), SHOWN_CHARS)}</span>
      </div>
    );
  }
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  // The heading describes the outermost object.
  if (name === undefined && open) {
    return (
      <div className="tree">
        <Entries value={value} />
      </div>
    );
  }
  return (
    <details className="tree" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {label}
        {sizeOf(Array.isArray(value), size)}
      </summary>
      {isOpen && <Entries value={value} />}
    </details>
  );
}

function Entries({ value }: { value: object }) {
  const [most, setMost] = useState(SHOWN_AT_ONCE);
  const { entries, count } = firstEntries(value, most);
  return (
    <>
      {entries.map(([key, part]) => (
        <Tree key={key} name={key} value={part} />
      ))}
      {count > most && (
        <button type="button" className="tree-more" onClick={() => setMost(most + SHOWN_AT_ONCE)}>
          Show more of {count}
        </button>
      )}
    </>
  );
}

function sizeOf(isList: boolean, size: number): string {
  const noun = isList ? (size === 1 ? "item" : "items") : size === 1 ? "field" : "fields";
  return `${size} ${noun}`;
}
