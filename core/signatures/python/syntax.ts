import type { SyntaxNode } from "@lezer/common";

/** The text to which nodes belong, with the names of its module. */
export interface PythonText {
  text(node: SyntaxNode): string;
  /** Returns the name that an imported name has in its module, or the name itself. */
  nameOf(text: string): string;
  /** Returns the value of a name, a call or a member of an enum, or `NOT_LITERAL`. */
  resolve(node: SyntaxNode, depth: number): unknown;
}

/** One argument of a call or of a class definition. */
export interface Argument {
  /** The name of a keyword argument. */
  key: string | undefined;
  value: SyntaxNode;
  /** `*list` or `**dictionary`. */
  spread: boolean;
}

/** Returns the children of a node without comments. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) if (child.name !== "Comment") found.push(child);
  return found;
}

/** Returns the expressions between the brackets of a node, without its punctuation. */
export function membersOf(node: SyntaxNode): SyntaxNode[] {
  return childrenOf(node).filter(({ name }) => !["(", ")", "[", "]", "{", "}", ",", ":"].includes(name));
}

/** Returns the arguments of a list, in their order. */
export function argumentsOf(list: SyntaxNode | null, text: Pick<PythonText, "text">): Argument[] {
  const found: Argument[] = [];
  let spread = false;
  for (const child of list ? membersOf(list) : []) {
    const last = found.at(-1);
    if (child.name === "*" || child.name === "**") spread = true;
    else if (child.name === "AssignOp" && last) last.key = text.text(last.value);
    else if (child.prevSibling?.name === "AssignOp" && last) last.value = child;
    else {
      found.push({ key: undefined, value: child, spread });
      spread = false;
    }
  }
  return found;
}

/** Returns the statements of a class or of another compound statement. */
export function bodyOf(definition: SyntaxNode): SyntaxNode[] {
  const body = definition.getChild("Body");
  return body ? childrenOf(body).flatMap((statement) => (statement.name === "StatementGroup" ? childrenOf(statement) : [statement])) : [];
}

/** Returns the targets of an assignment with the values that they receive. `undefined`: the target has an annotation only, or the value is unknown. */
export function readAssignments(statement: SyntaxNode): { target: SyntaxNode; value: SyntaxNode | undefined }[] {
  const groups: SyntaxNode[][] = [[]];
  for (const child of membersOf(statement)) {
    if (child.name === "AssignOp") groups.push([]);
    else if (child.name !== "TypeDef") groups.at(-1)?.push(child);
  }
  const values = groups.length > 1 ? groups.pop() : undefined;
  return groups.flatMap((targets) =>
    targets.map((target, at) => ({
      target,
      value: targets.length === 1 && values?.length === 1 ? values[0] : targets.length === values?.length ? values[at] : undefined,
    })),
  );
}
