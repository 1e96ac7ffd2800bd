/** Shows JSON as a tree with collapsible objects and lists. */
export function Tree({ value, name, open = false }: { value: unknown; name?: string; open?: boolean }) {
  const label = name === undefined ? null : <span className="name">{name}: </span>;
  if (typeof value !== "object" || value === null) {
    return (
      <div className="tree">
        {label}
        <span className="value">{typeof value === "string" ? value : JSON.stringify(value)}</span>
      </div>
    );
  }
  const entries = Object.entries(value);
  const inner = entries.map(([key, part]) => <Tree key={key} name={key} value={part} />);
  // The heading describes the outermost object.
  if (name === undefined && open) return <div className="tree">{inner}</div>;
  return (
    <details className="tree" open={open}>
      <summary>
        {label}
        {sizeOf(Array.isArray(value), entries.length)}
      </summary>
      {inner}
    </details>
  );
}

function sizeOf(isList: boolean, size: number): string {
  const noun = isList ? (size === 1 ? "item" : "items") : size === 1 ? "field" : "fields";
  return `${size} ${noun}`;
}
