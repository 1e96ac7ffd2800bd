/* Converts what a TypeScript script returned to JSON. Like realm.mjs, it has no build and uses Buffer only where necessary. */

/** A value, or a part of it, has no JSON form. The message names the path. */
export class NotJson extends Error {}

/** Levels of nesting, as `MAX_DEPTH` of the protocol: the parser of every language reads as many. */
const MAX_DEPTH = 400;

/**
 * Converts a value for JSON.stringify; returns the same object if nothing has to change. Throws `NotJson`, which names the path.
 * The rules: undefined → null, bigint → decimal text, Date → ISO text, bytes → base64 text, other typed arrays → arrays, Map → object, Set → array,
 * RegExp → text, Error → {name, message}, NaN and infinities → null, toJSON is honoured.
 */
export function toJson(value) {
  return walk(value === undefined ? null : value, [], new Map());
}

function walk(value, path, above) {
  switch (typeof value) {
    case "bigint":
      return value.toString();
    case "function":
      throw new NotJson(`${place(path)} is a function`);
    case "symbol":
      throw new NotJson(`${place(path)} is a symbol`);
    case "object":
      break;
    default:
      return value;
  }
  if (value === null) return null;
  if (path.length >= MAX_DEPTH) throw new NotJson(`it is nested more than ${MAX_DEPTH} levels deep`);
  if (above.has(value)) throw new NotJson(`${place(path)} refers back to ${place(path.slice(0, above.get(value)))}`);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return binary(value);
  if (typeof value.then === "function") throw new NotJson(`${place(path)} is a promise that was not awaited`);
  above.set(value, path.length);
  try {
    if (typeof value.toJSON === "function") return walk(value.toJSON(path.at(-1) ?? ""), path, above);
    if (Array.isArray(value)) return walkList(value, path, above);
    if (value instanceof Set) return walkList([...value], path, above);
    if (value instanceof Map) return walkObject(mapToObject(value, path), path, above);
    if (value instanceof RegExp) return String(value);
    if (value instanceof Error) return { name: String(value.name), message: String(value.message) };
    return walkObject(value, path, above);
  } finally {
    above.delete(value);
  }
}

function walkList(list, path, above) {
  let changed = null;
  for (let i = 0; i < list.length; i++) {
    path.push(i);
    const item = walk(list[i], path, above);
    path.pop();
    if (item !== list[i] && !Number.isNaN(item)) {
      changed ??= list.slice();
      changed[i] = item;
    }
  }
  return changed ?? list;
}

function walkObject(object, path, above) {
  let changed = null;
  for (const key of Object.keys(object)) {
    const before = object[key];
    path.push(key);
    const after = walk(before, path, above);
    path.pop();
    if (after !== before && !Number.isNaN(after)) {
      changed ??= { ...object };
      // Not an assignment: the key may be "__proto__".
      Object.defineProperty(changed, key, { value: after, enumerable: true, configurable: true, writable: true });
    }
  }
  return changed ?? object;
}

function mapToObject(map, path) {
  const entries = [];
  const names = new Set();
  for (const [key, value] of map) {
    if ((typeof key === "object" && key !== null) || typeof key === "function" || typeof key === "symbol") {
      throw new NotJson(`${place(path)} is a Map with a key that is not text (${typeof key})`);
    }
    if (names.has(String(key))) {
      throw new NotJson(`${place(path)} is a Map with two keys that are the same text ${JSON.stringify(String(key))}`);
    }
    names.add(String(key));
    entries.push([String(key), value]);
  }
  return Object.fromEntries(entries);
}

function binary(value) {
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  if (value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  }
  return Array.from(value, (item) => (typeof item === "bigint" ? item.toString() : item));
}

/** @param {(string | number)[]} path */
function place(path) {
  return path.reduce(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`,
    "result",
  );
}
