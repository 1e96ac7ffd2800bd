/* Describes what a TypeScript script threw. */
import { toJson } from "./result-json.mjs";

const MAX_TEXT = 32_768;

/** @returns {{ name: string, message: string, stack?: string }} */
export function describe(thrown) {
  try {
    if (isError(thrown)) {
      const stack = stackOf(thrown, new Set());
      return {
        name: textOf(thrown.name) || "Error",
        message: clip(textOf(thrown.message)),
        ...(stack && { stack: clip(stack) }),
        ...replyOf(thrown),
      };
    }
    if (typeof thrown === "object" && thrown !== null) {
      const named = typeof thrown.message === "string";
      return {
        name: named && typeof thrown.name === "string" ? thrown.name : "Error",
        message: clip(named ? thrown.message : JSON.stringify(toShown(thrown))),
        ...replyOf(thrown),
      };
    }
    return { name: "Error", message: clip(String(thrown)) };
  } catch {
    // A getter or `toString` of the thrown value threw.
    return { name: "Error", message: "The script threw a value that cannot be displayed." };
  }
}

/** Returns the keys of a thrown value that shape the reply of a synchronous call. */
function replyOf(thrown) {
  const names = Object.keys(thrown).filter((name) => /^(svc|windmill)_(status_code|content_type|headers)$/.test(name));
  if (names.length === 0) return {};
  const reply = Object.fromEntries([...names, ...(Object.hasOwn(thrown, "result") ? ["result"] : [])].map((name) => [name, thrown[name]]));
  return { reply: toShown(reply) };
}

/** Levels of a thrown value that its error shows, and entries of each list and object. */
const SHOWN_DEPTH = 100;
const SHOWN_ENTRIES = 1000;

/** Converts a thrown value like a result. A part without a JSON form becomes a text in brackets with the reason. */
function toShown(value) {
  try {
    return toJson(value);
  } catch {
    // The rest of the value is still worth showing.
    return shown(value, new Set());
  }
}

function shown(value, above) {
  if (typeof value === "function") return "[a function]";
  if (typeof value === "symbol") return `[${String(value)}]`;
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value;
  if (above.has(value)) return "[a part that contains it]";
  if (above.size >= SHOWN_DEPTH) return "[more levels]";
  above.add(value);
  try {
    const plain = value instanceof Map || value instanceof Set ? [...value] : value;
    if (plain instanceof Error || typeof plain.toJSON === "function" || ArrayBuffer.isView(plain) || plain instanceof RegExp)
      return toJson(plain);
    if (Array.isArray(plain)) return plain.slice(0, SHOWN_ENTRIES).map((item) => shown(item, above));
    const names = Object.keys(plain).slice(0, SHOWN_ENTRIES);
    return Object.fromEntries(names.map((name) => [name, shownProperty(plain, name, above)]));
  } catch (error) {
    return `[${reasonOf(error)}]`;
  } finally {
    above.delete(value);
  }
}

function shownProperty(object, name, above) {
  try {
    return shown(object[name], above);
  } catch (error) {
    // A getter of the script threw.
    return `[${reasonOf(error)}]`;
  }
}

const reasonOf = (error) => (error instanceof Error ? error.message : "it cannot be shown");

function isError(value) {
  if (value instanceof Error) return true;
  return typeof value === "object" && value !== null && typeof value.message === "string" && typeof value.stack === "string";
}

/** Returns the stack including the chain of causes. */
function stackOf(error, seen) {
  seen.add(error);
  const head = `${textOf(error.name) || "Error"}: ${textOf(error.message)}`;
  let stack = typeof error.stack === "string" ? error.stack : "";
  // Some engines omit the first line, and a message that was changed later is not in it.
  if (!stack.startsWith(textOf(error.name)) || !stack.includes(textOf(error.message))) stack = `${head}\n${frames(stack)}`;
  for (const [label, inner] of causes(error)) {
    if (seen.size > 8) break;
    if (seen.has(inner)) continue;
    stack += `\n${label}: ${isError(inner) ? stackOf(inner, seen) : describe(inner).message}`;
  }
  return stack.trimEnd();
}

function causes(error) {
  const list = error.cause === undefined ? [] : [["Caused by", error.cause]];
  if (Array.isArray(error.errors)) for (const inner of error.errors) list.push(["Also", inner]);
  return list;
}

function frames(stack) {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}

function textOf(value) {
  return typeof value === "string" ? value : value === undefined ? "" : String(value);
}

function clip(text) {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}
