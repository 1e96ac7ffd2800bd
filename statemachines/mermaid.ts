import type { Definition, State } from "./asl.ts";

/**
 * Renders a state machine as a Mermaid flowchart. Choices are labelled with their outcomes, parallel lists are boxes, and dashed lines show
 * failures.
 */
export function renderMermaid(definition: Definition): string {
  let count = 0;
  const next = () => `n${count++}`;
  return `${["flowchart TD", ...renderStates(definition, next).map((line) => `  ${line}`)].join("\n")}\n`;
}

/** Nodes have numbers, because the names of states contain any text. */
function renderStates({ StartAt, States }: Definition, next: () => string): string[] {
  const start = next();
  const ids = new Map(Object.keys(States).map((name) => [name, next()]));
  const end = next();
  const idOf = (name: string) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`There is no state ${name}.`);
    return id;
  };
  const states = Object.entries(States);
  const ends = states.some(([, state]) => "End" in state);
  return [
    `${start}(["start"])`,
    ...states.flatMap(([name, state]) => node(idOf(name), name, state, next)),
    ...(ends ? [`${end}(["end"])`] : []),
    `${start} --> ${idOf(StartAt)}`,
    ...states.flatMap(([name, state]) => edges(state, idOf, end).map((edge) => `${idOf(name)} ${edge}`)),
  ];
}

function node(id: string, name: string, state: State, next: () => string): string[] {
  const text = label(name);
  switch (state.Type) {
    case "Task":
      return [state.Resource.endsWith(".waitForTaskToken") ? `${id}[[${text}]]` : `${id}[${text}]`];
    case "Choice":
      return [`${id}{${text}}`];
    case "Wait":
      return [`${id}>${text}]`];
    case "Succeed":
      return [`${id}([${text}])`];
    case "Map":
      return box(id, text, renderStates(state.ItemProcessor, next));
    case "Parallel":
      return box(
        id,
        text,
        state.Branches.flatMap((branch, index) => box(next(), label(`branch ${index}`), renderStates(branch, next))),
      );
  }
}

const box = (id: string, text: string, lines: string[]) => [`subgraph ${id}[${text}]`, ...lines.map((line) => `  ${line}`), "end"];

function edges(state: State, idOf: (name: string) => string, end: string): string[] {
  if (state.Type === "Choice") {
    const ways = state.Choices.map(({ StringEquals, Next }) => `-->|${label(StringEquals)}| ${idOf(Next)}`);
    return [...ways, `-->|${label("otherwise")}| ${idOf(state.Default)}`];
  }
  if (state.Type === "Succeed") return [];
  const failing = "Catch" in state && state.Catch ? state.Catch.map(({ Next }) => `-.->|${label("fails")}| ${idOf(Next)}`) : [];
  return ["Next" in state ? `--> ${idOf(state.Next)}` : `--> ${end}`, ...failing];
}

/** All characters except letters, digits, spaces and commas are escaped, because they may have a meaning in Mermaid, Markdown or HTML. */
const label = (text: string) =>
  `"${[...text].map((char) => (/[\p{L}\p{M}\p{N} ,]/u.test(char) ? char : `#${char.codePointAt(0)};`)).join("")}"`;
