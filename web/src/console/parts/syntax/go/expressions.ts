import { GoReader } from "./reader.ts";

/** Within a header of `if`, `for` and `switch`, a brace after a name begins the block. */
export const IN_HEADER = -1;

export const TYPE_STARTS = new Set(["name", "*", "(", "[", "map", "chan", "func", "struct", "interface", "<-"]);
const UNARY = new Set(["+", "-", "!", "^", "*", "&", "<-", "~"]);
const BINARY = new Set(["||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "|", "^", "*", "/", "%", "<<", ">>", "&", "&^"]);

/** An expression is a type, which values in braces can follow, a name, which can be that of a type, or neither. */
type Shape = "type" | "name" | "other";

/** Reads types and expressions, which contain each other. */
export abstract class GoExpressions extends GoReader {
  protected abstract block(): void;

  protected signature(): void {
    this.parameters();
    if (this.is("(")) this.parameters();
    else if (TYPE_STARTS.has(this.token.kind)) this.type();
  }

  protected parameters(): void {
    this.expect("(");
    while (!this.accept(")")) {
      this.nameAndType();
      if (!this.accept(",") && !this.is(")")) this.fail();
    }
  }

  /** A type, a name, or both. */
  protected nameAndType(): void {
    if (this.accept("...")) this.type();
    else if (!this.accept("name")) this.type();
    else if (this.is(".")) this.typeNameRest();
    else if (this.accept("[")) {
      const isEmpty = this.is("]");
      this.bracketRest();
      if (isEmpty || TYPE_STARTS.has(this.token.kind)) this.type();
    } else if (this.accept("...") || TYPE_STARTS.has(this.token.kind)) this.type();
  }

  // Types.

  protected type(): void {
    this.within(() => {
      if (this.accept("name")) this.typeNameRest();
      else if (!this.typeLiteral()) {
        if (this.accept("(")) {
          this.type();
          this.expect(")");
        } else if (this.accept("<-")) {
          this.expect("chan");
          this.type();
        } else {
          this.expect("*");
          this.type();
        }
      }
    });
  }

  protected typeNameRest(): void {
    if (this.accept(".")) this.expect("name");
    if (this.accept("[")) this.bracketRest();
  }

  /** Reads a type that begins with its own word. */
  protected typeLiteral(): boolean {
    if (this.accept("[")) {
      if (!this.accept("...") && !this.is("]")) this.nested(0, () => this.expression());
      this.expect("]");
      this.type();
    } else if (this.accept("map")) {
      this.expect("[");
      this.type();
      this.expect("]");
      this.type();
    } else if (this.accept("chan")) {
      this.accept("<-");
      this.type();
    } else if (this.accept("func")) this.signature();
    else if (this.accept("struct")) this.members(() => this.field());
    else if (this.accept("interface")) this.members(() => this.interfaceElement());
    else return false;
    return true;
  }

  protected members(read: () => void): void {
    this.expect("{");
    while (!this.accept("}")) {
      read();
      this.endOf("}");
    }
  }

  protected field(): void {
    do this.nameAndType();
    while (this.accept(","));
    this.accept("literal");
  }

  protected interfaceElement(): void {
    if (!this.accept("name")) {
      this.union();
      return;
    }
    if (this.is("(")) {
      this.signature();
      return;
    }
    this.typeNameRest();
    if (this.accept("|")) this.union();
  }

  protected union(): void {
    do {
      this.accept("~");
      this.type();
    } while (this.accept("|"));
  }

  // Expressions.

  protected expressions(): void {
    do this.expression();
    while (this.accept(","));
  }

  protected expression(): void {
    this.unary();
    this.binaryRest();
  }

  /** An expression whose first word was read. */
  protected expressionRest(shape: Shape): void {
    this.suffixes(shape);
    this.binaryRest();
  }

  protected binaryRest(): void {
    while (BINARY.has(this.token.kind)) {
      this.next();
      this.unary();
    }
  }

  protected unary(): void {
    this.within(() => {
      while (UNARY.has(this.token.kind)) this.next();
      this.suffixes(this.operand());
    });
  }

  protected operand(): Shape {
    if (this.accept("name")) return "name";
    if (this.accept("literal")) return "other";
    if (this.accept("(")) {
      this.nested(Math.max(0, this.nesting) + 1, () => this.expression());
      this.expect(")");
      return "other";
    }
    const isFunction = this.is("func");
    if (!this.typeLiteral()) this.fail();
    if (!isFunction) return "type";
    if (this.is("{")) this.nested(0, () => this.block());
    return "other";
  }

  protected suffixes(first: Shape): void {
    let shape = first;
    for (;;) {
      if (this.accept(".")) {
        if (this.accept("(")) {
          if (!this.accept("type")) this.type();
          this.expect(")");
          shape = "other";
        } else this.expect("name");
      } else if (this.accept("[")) {
        if (this.is("]")) this.fail();
        this.bracketRest();
      } else if (this.accept("(")) {
        this.nested(0, () => this.argumentsRest());
        shape = "other";
      } else if (this.is("{") && (shape === "type" || (shape === "name" && this.nesting !== IN_HEADER))) {
        this.nested(0, () => this.values());
        shape = "other";
      } else return;
    }
  }

  /** Reads an index, a slice or types behind the opening bracket. */
  protected bracketRest(): void {
    this.nested(0, () => {
      while (!this.accept("]")) {
        if (this.accept(":") || this.accept("...")) continue;
        this.expression();
        if (!this.accept(",") && !this.is(":") && !this.is("]")) this.fail();
      }
    });
  }

  protected argumentsRest(): void {
    while (!this.accept(")")) {
      this.expression();
      this.accept("...");
      if (!this.accept(",") && !this.is(")")) this.fail();
    }
  }

  protected values(): void {
    this.within(() => {
      this.expect("{");
      while (!this.accept("}")) {
        this.value();
        if (this.accept(":")) this.value();
        if (!this.accept(",") && !this.is("}")) this.fail();
      }
    });
  }

  protected value(): void {
    if (this.is("{")) this.values();
    else this.expression();
  }
}
