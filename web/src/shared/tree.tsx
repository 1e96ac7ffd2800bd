import { useState } from "react";

/** More entries are shown on request, because a list of a million blocks the browser. */
const SHOWN_AT_ONCE = 200;
/** A longer text is shown in part. */
const SHOWN_CHARS = 10_000;

interface TreeProps {
  value: unknown;
  name?: string;
  open?: boolean;
}

/** Shows JSON as a tree with collapsible objects and lists. Only what is open is in the document. */
export function Tree({ value, name, open = false }: TreeProps) {
  const [isOpen, setIsOpen] = useState(open);
  const label = name === undefined ? null : <span className="name">{name}: </span>;
  if (typeof value !== "object" || value === null) {
    return (
      <div className="tree">
        {label}
        <span className="value">{shortened(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))}</span>
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
  const entries = Object.entries(value);
  return (
    <>
      {entries.slice(0, most).map(([key, part]) => (
        <Tree key={key} name={key} value={part} />
      ))}
      {entries.length > most && (
        <button type="button" className="tree-more" onClick={() => setMost(most + SHOWN_AT_ONCE)}>
          Show more of {entries.length}
        </button>
      )}
    </>
  );
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}… (${text.length} characters)` : text;
}

function sizeOf(isList: boolean, size: number): string {
  const noun = isList ? (size === 1 ? "item" : "items") : size === 1 ? "field" : "fields";
  return `${size} ${noun}`;
}
