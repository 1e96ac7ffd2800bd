import { isJsonObject } from "../../contract/json/json-object.ts";

/** One item of a step's `description`. */
export type Item =
  | { kind: "text"; text: string }
  | { kind: "markdown"; text: string }
  | { kind: "html"; text: string }
  | { kind: "image"; source: string }
  | { kind: "remote"; address: string }
  | { kind: "table"; columns: string[]; rows: unknown[][] }
  | { kind: "map"; view: MapView }
  | { kind: "json"; value: unknown };

export interface Place {
  lat: number;
  lon: number;
}
export interface MapView extends Place {
  /** The zoom level of tiled maps: each level shows half the area. Absent: the area of the markers. */
  zoom?: number;
  markers: (Place & { title: string })[];
}

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};
/** The number of items of `render_all` that are shown, and of markers of a map. */
const MOST_ITEMS = 500;
const TABLES = new Set(["table", "table-row", "table-row-object", "table-col"]);

/**
 * Returns the items to show, in order. A description is a text, one item, or `{render_all: […]}`. An item of an unknown kind is shown as
 * JSON.
 */
export function itemsOf(description: unknown): Item[] {
  if (description === undefined || description === null || description === "") return [];
  if (isJsonObject(description) && Array.isArray(description["render_all"]))
    return description["render_all"].slice(0, MOST_ITEMS).map(itemOf);
  return [itemOf(description)];
}

function itemOf(value: unknown): Item {
  if (typeof value === "string") return { kind: "text", text: value };
  const json: Item = { kind: "json", value };
  if (Array.isArray(value)) return tableOf(value) ?? json;
  if (!isJsonObject(value)) return json;
  // One key determines the kind. The columns of a table may be next to it.
  const [kind = "", ...others] = Object.keys(value);
  const content = value[kind];
  if (TABLES.has(kind)) return tableOf(content, value["columns"]) ?? json;
  if (others.length > 0) return json;
  if (kind === "map") return mapOf(content) ?? json;
  if (kind === "image" || Object.hasOwn(IMAGE_TYPES, kind)) return imageOf(kind, content) ?? json;
  if (kind === "json") return { kind: "json", value: content };
  if (typeof content !== "string") return json;
  if (kind === "text" || kind === "html") return { kind, text: content };
  return kind === "markdown" || kind === "md" ? { kind: "markdown", text: content } : json;
}

/** A wider table is shown as JSON: a list of objects with different fields would have millions of empty cells. */
const MOST_COLUMNS = 200;

/** A list of objects, of lists, or `{columns, rows}`; otherwise `undefined`. */
function tableOf(content: unknown, named?: unknown): Item | undefined {
  if (isJsonObject(content) && Array.isArray(content["rows"])) return tableOf(content["rows"], content["columns"]);
  // By columns: `{name: […], age: […]}`.
  if (isJsonObject(content) && Object.values(content).every(Array.isArray)) {
    const columns = Object.entries(content) as [string, unknown[]][];
    if (columns.length > MOST_COLUMNS) return undefined;
    const length = Math.max(0, ...columns.map(([, cells]) => cells.length));
    return {
      kind: "table",
      columns: columns.map(([name]) => name),
      rows: Array.from({ length }, (_, row) => columns.map(([, cells]) => cells[row])),
    };
  }
  if (!Array.isArray(content) || content.length === 0) return undefined;
  if (content.every(isJsonObject)) {
    const columns = namesIn(named) ?? columnsOf(content);
    if (columns === undefined || columns.length > MOST_COLUMNS) return undefined;
    return {
      kind: "table",
      columns,
      rows: content.map((row) => columns.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined))),
    };
  }
  if (!content.every(Array.isArray)) return undefined;
  const [first = [], ...rest] = content as unknown[][];
  const columns = namesIn(named);
  if ((columns ?? first).length > MOST_COLUMNS) return undefined;
  return columns ? { kind: "table", columns, rows: content } : { kind: "table", columns: first.map(textOf), rows: rest };
}

/** The names of all fields; `undefined` if there are too many. */
function columnsOf(rows: readonly Record<string, unknown>[]): string[] | undefined {
  const names = new Set<string>();
  for (const row of rows) {
    for (const name of Object.keys(row)) names.add(name);
    if (names.size > MOST_COLUMNS) return undefined;
  }
  return [...names];
}

const namesIn = (columns: unknown): string[] | undefined =>
  Array.isArray(columns) ? columns.map((column) => textOf(isJsonObject(column) ? (column["name"] ?? column["title"]) : column)) : undefined;

/** Formats a value for a cell. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The page loads nothing from other servers. An image is embedded, or its URL is shown. */
function imageOf(kind: string, content: unknown): Item | undefined {
  const text = isJsonObject(content) ? content["content"] : content;
  if (typeof text !== "string" || text === "") return undefined;
  if (/^data:image\//i.test(text)) return { kind: "image", source: text };
  if (/^(https?:)?\/\//i.test(text)) return { kind: "remote", address: text };
  if (/^\s*<(svg|\?xml)/i.test(text)) return { kind: "image", source: `data:image/svg+xml,${encodeURIComponent(text)}` };
  const type = IMAGE_TYPES[kind] ?? typeByStart(text);
  const bytes = text.replace(/\s/g, "");
  return type && /^[A-Za-z0-9+/]+=*$/.test(bytes) ? { kind: "image", source: `data:${type};base64,${bytes}` } : undefined;
}

/** The first bytes of known formats in base64. */
function typeByStart(base64: string): string | undefined {
  const starts = { iVBORw0KGgo: "png", "/9j/": "jpeg", R0lGOD: "gif", UklGR: "webp", PHN2Zy: "svg", PD94bWwg: "svg" };
  const name = Object.entries(starts).find(([start]) => base64.startsWith(start))?.[1];
  return name === undefined ? undefined : IMAGE_TYPES[name];
}

function mapOf(content: unknown): Item | undefined {
  if (!isJsonObject(content)) return undefined;
  const entries = Array.isArray(content["markers"]) ? content["markers"] : [];
  const markers = entries.slice(0, MOST_ITEMS).flatMap((marker) => {
    const position = placeOf(marker);
    return position ? [{ ...position, title: textOf((marker as Record<string, unknown>)["title"]) }] : [];
  });
  const centre = placeOf(content) ?? markers[0];
  if (!centre) return undefined;
  const zoom = content["zoom"];
  const zoomed = typeof zoom === "number" && Number.isFinite(zoom) ? { zoom: Math.min(20, Math.max(0, zoom)) } : {};
  return { kind: "map", view: { lat: centre.lat, lon: centre.lon, ...zoomed, markers } };
}

function placeOf(value: unknown): Place | undefined {
  if (!isJsonObject(value)) return undefined;
  const { lat, lon } = value;
  if (typeof lat !== "number" || typeof lon !== "number" || !Number.isFinite(lat + lon)) return undefined;
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : undefined;
}
