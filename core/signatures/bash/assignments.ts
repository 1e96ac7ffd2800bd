/** An assignment to a variable in a script. */
export interface BashAssignment {
  name: string;
  /** The text after `=`, with its quotes. */
  value: string;
  /** The number of arguments that `shift` has removed before. */
  shifted: number;
}

/** Words after which a command begins. */
const BEFORE_COMMANDS = new Set(["if", "then", "elif", "else", "do", "while", "until", "!", "time", "{"]);
const DECLARATIONS = new Set(["local", "export", "readonly", "declare", "typeset"]);
const OPENING = new Set(["if", "while", "until", "for", "case", "select"]);
const CLOSING = new Set(["fi", "done", "esac"]);
const ASSIGNMENT = /^([A-Za-z_]\w*)=([\s\S]*)$/;

/** The assignments of a function, or of the script itself, and the number of removed arguments. */
interface Frame {
  name: string;
  assignments: BashAssignment[];
  shifted: number;
  /** `shift` in a condition or a loop, or `set`: later positions are unknown. */
  lost: boolean;
}

/**
 * Finds the assignments of a script in order, including those of functions that the script calls with all of its arguments (`main "$@"`).
 * Assignments in comments, texts and here-documents do not count, and neither do those in the environment of a command.
 */
export function readBashAssignments(source: string): BashAssignment[] {
  const script: Frame = { name: "", assignments: [], shifted: 0, lost: false };
  const functions = new Map<string, Frame>();
  const frames = [script];
  /** For each open brace, whether it begins a function. */
  const braces: boolean[] = [];
  let compounds = 0;
  let pending: string | undefined;
  const called = new Set<string>();
  for (const { words, body } of readCommands(source)) {
    const frame = frames.at(-1) ?? script;
    if (body !== undefined) pending = body;
    let start = 0;
    for (let keyword = words[0]; keyword !== undefined && BEFORE_COMMANDS.has(keyword); keyword = words[start]) {
      start += 1;
      if (keyword === "{") {
        braces.push(pending !== undefined);
        if (pending !== undefined) {
          const entered: Frame = { name: pending, assignments: [], shifted: 0, lost: false };
          functions.set(pending, entered);
          frames.push(entered);
        }
        pending = undefined;
      } else if (OPENING.has(keyword)) compounds++;
    }
    const command = words.slice(start);
    const [first] = command;
    if (first === undefined) continue;
    if (first === "}") {
      if (braces.pop()) frames.pop();
      continue;
    }
    if (OPENING.has(first)) compounds++;
    else if (CLOSING.has(first)) compounds--;
    const current = frames.at(-1) ?? frame;
    if (command.includes('"$@"') && frames.length === 1) called.add(first);
    if (first === "shift") {
      current.shifted += Number(command[1] ?? 1) || 0;
      current.lost ||= compounds > 0 || !/^\d*$/.test(command[1] ?? "");
    } else if (first === "set" && command.some((word) => !/^[-+]|^(set|pipefail|errexit|nounset|xtrace)$/.test(word))) current.lost = true;
    else if (!current.lost) current.assignments.push(...assignmentsOf(command, current.shifted));
  }
  return [...script.assignments, ...[...called].flatMap((name) => functions.get(name)?.assignments ?? [])];
}

function assignmentsOf(command: string[], shifted: number): BashAssignment[] {
  const from = DECLARATIONS.has(command[0] ?? "") ? 1 : 0;
  const found = command.slice(from).map((word) => ASSIGNMENT.exec(word));
  // Without a declaration, `NAME=value program` sets a variable of the program only.
  if (from === 0 && found.includes(null)) return [];
  return found.flatMap((match) => (match ? [{ name: match[1] ?? "", value: match[2] ?? "", shifted }] : []));
}

/** The words of one simple command, with its keywords. `body`: the command begins the function of this name. */
interface Command {
  words: string[];
  body?: string;
}

function readCommands(source: string): Command[] {
  const commands: Command[] = [];
  const documents: { delimiter: string; stripTabs: boolean }[] = [];
  let words: string[] = [];
  let isTarget = false;
  let at = 0;
  const end = (body?: string) => {
    if (words.length > 0 || body !== undefined) commands.push({ words, ...(body !== undefined && { body }) });
    words = [];
    isTarget = false;
  };
  while (at < source.length) {
    const char = source.charAt(at);
    if (char === "\n") {
      end();
      at = skipDocuments(source, at + 1, documents.splice(0));
    } else if (char === " " || char === "\t") at++;
    else if (source.startsWith("\\\n", at)) at += 2;
    else if (char === "#") at = lineEnd(source, at);
    else if (source.startsWith("((", at) && words.length === 0) at = skipUntil(source, at + 2, "))");
    else if (char === "(" && /^\(\s*\)/.test(source.slice(at, at + 20)) && words.length > 0) {
      // `name () {` defines a function, and so does `function name () {`.
      const name = words.at(-1) ?? "";
      words = [];
      end(name);
      at = source.indexOf(")", at) + 1;
    } else if (";&|()".includes(char)) {
      end();
      at++;
    } else if (char === "<" || char === ">") {
      const [operator = char] = /^(<<<|<<-?|<>|>>|>\||[<>]&|[<>])/.exec(source.slice(at, at + 3)) ?? [];
      at += operator.length;
      if (operator === "<<" || operator === "<<-") {
        const word = readWord(source, skipBlanks(source, at));
        documents.push({ delimiter: word.text.replace(/\\(.)|["']/g, "$1"), stripTabs: operator === "<<-" });
        at = word.end;
      } else isTarget = true;
    } else {
      const word = readWord(source, at);
      at = Math.max(word.end, at + 1);
      if (isTarget) isTarget = false;
      else if (word.text === "{" && words[0] === "function" && words.length === 2) {
        const name = words[1] ?? "";
        words = [];
        end(name);
        words = ["{"];
      } else words.push(word.text);
      // Words after these begin a command on the same line.
      if (word.text === "}" || (words.length === 1 && CLOSING.has(word.text))) end();
    }
  }
  end();
  return commands;
}

const lineEnd = (source: string, at: number) => skipUntil(source, at, "\n", 0);

function skipUntil(source: string, at: number, text: string, length = text.length): number {
  const found = source.indexOf(text, at);
  return found === -1 ? source.length : found + length;
}

function skipBlanks(source: string, at: number): number {
  let end = at;
  while (source[end] === " " || source[end] === "\t") end++;
  return end;
}

/** Skips the here-documents that follow a line. */
function skipDocuments(source: string, from: number, documents: { delimiter: string; stripTabs: boolean }[]): number {
  let at = from;
  for (const { delimiter, stripTabs } of documents) {
    while (at < source.length) {
      const end = lineEnd(source, at);
      const line = source.slice(at, end);
      at = end + 1;
      if ((stripTabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
    }
  }
  return at;
}

/** Reads one word with its quotes and expansions. */
function readWord(source: string, from: number): { text: string; end: number } {
  let at = from;
  while (at < source.length && !/[\s;&|()<>]/.test(source.charAt(at))) at = skipPart(source, at, false, 0);
  // `name=(…)` assigns a list.
  if (source[at] === "(" && source[at - 1] === "=") at = skipBracket(source, at + 1, ")", false, 0);
  return { text: source.slice(from, at).replaceAll("\\\n", ""), end: at };
}

/** The maximum depth of expansions, so that a malicious source cannot overflow the stack. */
const MAX_NESTING = 100;

/** Skips one character, or one quoted text or expansion. */
function skipPart(source: string, at: number, inQuotes: boolean, depth: number): number {
  const char = source[at];
  if (char === "\\") return at + 2;
  if (char === "'" && !inQuotes) return skipUntil(source, at + 1, "'");
  if (char === '"') {
    return skipBracket(source, at + 1, '"', true, depth);
  }
  if (char === "`") return skipBracket(source, at + 1, "`", true, depth);
  if (source.startsWith("$'", at) && !inQuotes) return skipAnsi(source, at + 2);
  // Bash pairs single quotes here even between double quotes.
  if (source.startsWith("${", at)) return skipBracket(source, at + 2, "}", false, depth);
  if (source.startsWith("$(", at)) return skipBracket(source, at + 2, ")", false, depth);
  return at + 1;
}

function skipAnsi(source: string, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== "'") at += source[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipBracket(source: string, from: number, close: string, inQuotes: boolean, depth: number): number {
  if (depth > MAX_NESTING) return source.length;
  let at = from;
  while (at < source.length && source[at] !== close) {
    const isNested = close === ")" && source[at] === "(";
    at = isNested ? skipBracket(source, at + 1, ")", false, depth + 1) : skipPart(source, at, inQuotes, depth + 1);
  }
  return at + 1;
}
