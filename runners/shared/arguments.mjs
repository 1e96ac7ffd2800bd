/* Passes the arguments of a job to a function of a TypeScript script. Like realm.mjs, it has no build and uses Buffer only where necessary. */

/** An argument that does not fit the type of its parameter. */
class ArgumentError extends Error {
  name = "ArgumentError";
}

/**
 * Returns the values to call a function with. Throws `ArgumentError`, which names the parameter that an argument does not fit.
 * @param {Function} entry
 * @param {{ entrypoint: string, params: string[] | null, paramTypes?: import("../protocol.ts").ParamTypes, args: Record<string, unknown> }} job
 */
export function argumentsFor(entry, { entrypoint, params, paramTypes = {}, args }) {
  const value = (name) => convert(name, own(args, name), own(paramTypes, name));
  if (params) return params.map(value);
  const all = () => [
    { ...args, ...Object.fromEntries(Object.keys(paramTypes).flatMap((name) => (Object.hasOwn(args, name) ? [[name, value(name)]] : []))) },
  ];
  const text = String(entry);
  const parameters = parameterNames(text);
  // main({ a, b }) has one unnamed parameter, which receives all arguments.
  if (parameters.length === 1 && parameters[0].name === null) return all();
  if (hidesParameters(entry, { entrypoint, text, parameters, args })) return all();
  return parameters.flatMap(({ name, rest }) => {
    const given = name === null ? undefined : value(name);
    return rest ? (Array.isArray(given) ? given : []) : [given];
  });
}

// A parameter may have the name of a property that every object has.
const own = (values, name) => (Object.hasOwn(values, name) ? values[name] : undefined);

/** Whether a call returned the function, such as `wrap(run)` or `run.bind(null)`, so that its source text does not contain its parameters. */
function hidesParameters(entry, { entrypoint, text, parameters, args }) {
  if (Object.keys(args).length === 0) return false;
  if (/\{\s*\[native code\]\s*\}\s*$/.test(text)) return true;
  // The function has its exported name if the script declares it itself.
  if (entry.name === entrypoint) return false;
  const [first] = parameters;
  return first === undefined ? /\barguments\b/.test(text) : parameters.length === 1 && first.rest && !Object.hasOwn(args, first.name);
}

const TYPES = { date: "Date", bytes: "Uint8Array", buffer: "Buffer", arrayBuffer: "ArrayBuffer", blob: "Blob" };

function convert(name, value, type) {
  if (type === undefined || value === undefined || value === null) return value;
  if (typeof type === "object") return convertInside(name, value, type);
  const made = type === "date" ? toDate(value) : toBytes(value, type);
  if (typeof made === "string") throw new ArgumentError(`The argument "${name}" does not fit the type ${TYPES[type]}: ${made}`);
  return made;
}

/**
 * Converts the values inside of a list or an object. A value of another type is passed unchanged, as without a type. A key of a record may be a
 * secret.
 */
function convertInside(name, value, { items, values, fields }) {
  if (items) return Array.isArray(value) ? value.map((item, at) => convert(`${name}[${at}]`, item, items)) : value;
  if (typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    values ? convert(`${name}.*`, inner, values) : convert(`${name}.${key}`, inner, own(fields, key)),
  ]);
  return Object.fromEntries(entries);
}

// The format of JSON Schema's date-time, and its shorter variants, which HTML forms send.
const ISO = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?)?)?)?$/;
/** The format of `toUTCString`, mails and HTTP headers. */
const UTC = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})$/;

/**
 * Returns a Date, or a sentence about the fault. Engines parse other formats differently, and roll dates that do not exist over to later ones.
 */
function toDate(value) {
  if (typeof value === "number") {
    const date = new Date(value);
    return Number.isNaN(date.getTime()) ? "the number is no time in milliseconds." : date;
  }
  if (typeof value !== "string") return `it is ${kindOf(value)}.`;
  const text = value.trim();
  const [iso, year, month = "01", day = "01", time, seconds = "00", fraction = "", zone = ""] = ISO.exec(text) ?? [];
  if (iso === undefined && !UTC.test(text)) return `${shown(value)} is no date and time in ISO 8601.`;
  if (iso !== undefined && !(Number(month) >= 1 && Number(day) >= 1 && Number(day) <= new Date(Date.UTC(year, month, 0)).getUTCDate()))
    return `${shown(value)} names a day that does not exist.`;
  const offset = zone.replace(/^z$/, "Z").replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`);
  const clock = time === undefined ? "" : `T${time}:${seconds}${fraction && `.${fraction.slice(0, 3).padEnd(3, "0")}`}${offset}`;
  const date = new Date(iso === undefined ? text : `${year}-${month}-${day}${clock}`);
  return Number.isNaN(date.getTime()) ? `${shown(value)} is no date and time in ISO 8601.` : date;
}

/** Returns bytes of base64, in the standard or the URL-safe alphabet and with or without padding, or a sentence about the fault. */
function toBytes(value, type) {
  if (typeof value !== "string") return `it is ${kindOf(value)} and no base64 text.`;
  const text = value.replace(/\s+/g, "");
  const digits = text.replace(/={1,2}$/, "");
  const wrong = digits.search(/[^A-Za-z0-9+/_-]/);
  if (wrong !== -1) return `character ${wrong + 1} of the text is not base64.`;
  if (digits.length % 4 === 1) return "the text is no complete base64.";
  const buffer = Buffer.from(digits, "base64");
  if (type === "buffer") return buffer;
  // A copy, because a small buffer is a part of a shared one.
  const bytes = new Uint8Array(buffer);
  return type === "arrayBuffer" ? bytes.buffer : type === "blob" ? new Blob([bytes]) : bytes;
}

function kindOf(value) {
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Shows the beginning of a text. It may be a secret, so it is never shown in full. */
function shown(text) {
  if (text.trim() === "") return "an empty text";
  return `${JSON.stringify(`${text.slice(0, Math.min(10, Math.floor(text.length / 2)))}…`)} (${text.length} characters)`;
}

/**
 * Parses the names of a function's parameters from its source text; null for a destructured one.
 * @param {string} text
 * @returns {{ name: string | null, rest: boolean }[]}
 */
function parameterNames(text) {
  const source = text.replace(/^\s*(async\b)?\s*/, "");
  const arrow = /^([A-Za-z_$][\w$]*)\s*=>/.exec(source);
  if (arrow) return [{ name: arrow[1], rest: false }];
  return splitParameters(text)
    .map((parameter) => parameter.trim())
    .filter(Boolean)
    .map((parameter) => {
      const rest = parameter.startsWith("...");
      return { name: /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u.exec(rest ? parameter.slice(3).trim() : parameter)?.[0] ?? null, rest };
    });
}

/** Splits the text between the first parentheses at its outermost commas and removes comments. */
function splitParameters(text) {
  const parts = [];
  let part = "";
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (text.startsWith("//", i) || text.startsWith("/*", i)) {
      const line = text[i + 1] === "/";
      const end = text.indexOf(line ? "\n" : "*/", i + 2);
      if (end < 0) break;
      i = line ? end : end + 1;
      continue;
    }
    if (char === '"' || char === "'" || char === "`") {
      const start = i;
      for (i++; i < text.length && text[i] !== char; i++) if (text[i] === "\\") i++;
      if (depth > 0) part += text.slice(start, i + 1);
      continue;
    }
    if (char === "(" || char === "[" || char === "{") {
      if (depth++ === 0) continue;
    } else if (char === ")" || char === "]" || char === "}") {
      if (--depth === 0) {
        parts.push(part);
        return parts;
      }
    } else if (char === "," && depth === 1) {
      parts.push(part);
      part = "";
      continue;
    }
    if (depth > 0) part += char;
  }
  return parts;
}
