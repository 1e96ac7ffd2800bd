import type { SyntaxNode } from "@lezer/common";
import type { ParamType } from "../../../runners/protocol.ts";
import { MAX_DEPTH, MAX_TYPES } from "../schema.ts";
import type { TypescriptModule } from "./module.ts";

/** Types whose values arrive as text or as a number, and that the wrapper creates. */
const CONVERTED: Readonly<Record<string, ParamType>> = {
  Date: "date",
  Uint8Array: "bytes",
  Buffer: "buffer",
  ArrayBuffer: "arrayBuffer",
  Blob: "blob",
};

/** Finds the values that the wrapper creates, also inside of lists and objects. */
export class ConvertedTypes {
  private readonly module: TypescriptModule;
  /** Returns the members of a union, or the type itself. */
  private readonly membersOf: (type: SyntaxNode) => SyntaxNode[];
  /** Types that contain the current type, so that a recursive type terminates. */
  private readonly open = new Set<string>();
  private read = 0;

  constructor(module: TypescriptModule, membersOf: (type: SyntaxNode) => SyntaxNode[]) {
    this.module = module;
    this.membersOf = membersOf;
  }

  /** Returns the kind of value that the wrapper creates for a type. `undefined`: it creates none. */
  find(type: SyntaxNode | null | undefined, depth = 0): ParamType | undefined {
    if (!type || depth > MAX_DEPTH || ++this.read > MAX_TYPES) return undefined;
    const { module } = this;
    const [only, ...others] = this.membersOf(type).filter((member) => !["undefined", "null"].includes(module.text(member)));
    if (!only || others.length > 0) return undefined;
    switch (only.name) {
      case "ArrayType":
        return listOf(this.find(only.firstChild, depth + 1));
      case "ReadonlyType":
        return this.find(only.lastChild, depth + 1);
      case "ObjectType":
        return this.findInFields(only, depth);
      case "TypeName":
        return this.findNamed(module.text(only), depth);
      case "ParameterizedType": {
        const name = module.text(only).replace(/<.*$/s, "");
        // The arguments of a generic type of the file are not followed.
        if (module.types.has(name)) return undefined;
        const [first, second] = argumentsOf(only);
        if (name === "Array" || name === "ReadonlyArray") return listOf(this.find(first, depth + 1));
        if (name !== "Record") return this.findNamed(name, depth);
        const values = this.find(second, depth + 1);
        return values && { values };
      }
      default:
        return undefined;
    }
  }

  private findNamed(name: string, depth: number): ParamType | undefined {
    const { types, opaque } = this.module;
    const declarations = types.get(name);
    if (!declarations) return !opaque.has(name) && Object.hasOwn(CONVERTED, name) ? CONVERTED[name] : undefined;
    if (this.open.has(name)) return undefined;
    this.open.add(name);
    const bodies = declarations.map((one) => one.getChild("ObjectType") ?? one.getChild("Equals")?.nextSibling);
    const found = bodies.flatMap((body) => this.find(body, depth + 1) ?? []);
    this.open.delete(name);
    const fields = found.flatMap((one) => (typeof one === "object" && "fields" in one ? [one.fields] : []));
    return fields.length > 1 ? { fields: Object.assign({}, ...fields) } : found[0];
  }

  private findInFields(type: SyntaxNode, depth: number): ParamType | undefined {
    const fields = type.getChildren("PropertyType").flatMap((property): [string, ParamType][] => {
      const key = property.getChild("PropertyDefinition");
      const converted = this.find(property.getChild("TypeAnnotation")?.firstChild?.nextSibling, depth + 1);
      return key && converted ? [[this.module.text(key), converted]] : [];
    });
    return fields.length > 0 ? { fields: Object.fromEntries(fields) } : undefined;
  }
}

const listOf = (items: ParamType | undefined): ParamType | undefined => items && { items };

/** Returns the types between the angle brackets. */
function argumentsOf(type: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = type.getChild("TypeArgList")?.firstChild; child; child = child.nextSibling)
    if (!["<", ">", ",", "LineComment", "BlockComment"].includes(child.name)) found.push(child);
  return found;
}
