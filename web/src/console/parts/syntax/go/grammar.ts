import { syntaxText as messages } from "../../../messages/editor/syntax.ts";
import type { SyntaxProblem } from "../syntax-problem.ts";
import { GoExpressions, IN_HEADER, TYPE_STARTS } from "./expressions.ts";
import { TooDeep, Unexpected } from "./reader.ts";
import type { GoToken } from "./tokens.ts";

const ASSIGNING = new Set([":=", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "&^="]);

/**
 * Returns the first word that the grammar of Go has no place for. The words must be without errors. It accepts more than Go does where only types
 * decide, and nothing less.
 */
export function findGoGrammarError(text: string): SyntaxProblem | undefined {
  try {
    new GoGrammar(text).file();
    return undefined;
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    if (!(error instanceof Unexpected)) throw error;
    const { kind, from, to } = error.token;
    const isLineEnd = from === to;
    const word = isLineEnd ? (kind === "end" ? messages.textEnd : messages.lineEnd) : text.slice(from, to).slice(0, 40);
    // A mark needs a character: the one before the end of the line.
    return { from: isLineEnd ? Math.max(0, from - 1) : from, to, message: messages.notHere(word) };
  }
}

class GoGrammar extends GoExpressions {
  file(): void {
    while (this.accept(";"));
    if (this.accept("package")) {
      this.expect("name");
      this.endOf("end");
    }
    while (!this.is("end")) {
      if (this.accept(";")) continue;
      if (this.accept("import")) this.group(() => this.importSpec());
      else if (this.accept("func")) this.functionDeclaration();
      else if (!this.declaration()) this.fail();
      this.endOf("end");
    }
  }

  // Declarations.

  private group(readSpec: () => void): void {
    if (!this.accept("(")) {
      readSpec();
      return;
    }
    while (!this.accept(")")) {
      readSpec();
      this.endOf(")");
    }
  }

  private importSpec(): void {
    if (!this.accept("name")) this.accept(".");
    this.expect("literal");
  }

  private declaration(): boolean {
    if (this.accept("var")) this.group(() => this.valueSpec(true));
    else if (this.accept("const")) this.group(() => this.valueSpec(false));
    else if (this.accept("type")) this.group(() => this.typeSpec());
    else return false;
    return true;
  }

  private valueSpec(isVariable: boolean): void {
    do this.expect("name");
    while (this.accept(","));
    const hasType = TYPE_STARTS.has(this.token.kind);
    if (hasType) this.type();
    if (this.accept("=")) this.expressions();
    else if (isVariable && !hasType) this.fail();
  }

  private typeSpec(): void {
    this.expect("name");
    if (this.accept("[")) {
      if (this.accept("]")) {
        this.type();
        return;
      }
      this.lengthOrTypeParameters();
    }
    this.accept("=");
    this.type();
  }

  /** Reads the length of an array, or the parameters of a type, up to the closing bracket. */
  private lengthOrTypeParameters(): void {
    if (this.accept("name")) {
      const isParameter =
        this.is(",") || this.is("[") || this.is("~") || (TYPE_STARTS.has(this.token.kind) && !this.is("*") && !this.is("("));
      if (isParameter) this.constraint();
      else this.nested(0, () => this.expressionRest("name"));
      if (this.accept(",")) this.typeParameters();
    } else if (!this.accept("...")) this.nested(0, () => this.expression());
    this.expect("]");
  }

  private typeParameters(): void {
    while (this.accept("name")) {
      this.constraint();
      if (!this.accept(",")) return;
    }
  }

  /** The constraint of a parameter. Several parameters can share the next one. */
  private constraint(): void {
    if (!this.is(",") && !this.is("]")) this.union();
  }

  private functionDeclaration(): void {
    if (this.is("(")) this.parameters();
    this.expect("name");
    if (this.accept("[")) {
      this.typeParameters();
      this.expect("]");
    }
    this.signature();
    if (this.is("{")) this.nested(0, () => this.block());
  }

  // Statements.

  protected block(): void {
    this.within(() => {
      this.expect("{");
      this.statements();
      this.expect("}");
    });
  }

  private statements(): void {
    while (!this.is("}") && !this.is("case") && !this.is("default") && !this.is("end")) {
      this.statement();
      this.endOf("}");
    }
  }

  private statement(): void {
    if (this.is(";") || this.declaration()) return;
    switch (this.token.kind) {
      case "{":
        this.block();
        return;
      case "return":
        this.next();
        if (!this.is(";") && !this.is("}")) this.expressions();
        return;
      case "break":
      case "continue":
        this.next();
        this.accept("name");
        return;
      case "goto":
        this.next();
        this.expect("name");
        return;
      case "fallthrough":
        this.next();
        return;
      case "go":
      case "defer":
        this.next();
        this.expression();
        return;
      case "if":
        this.next();
        this.ifRest();
        return;
      case "for":
        this.next();
        this.nested(IN_HEADER, () => this.forHeader());
        this.block();
        return;
      case "switch":
        this.next();
        this.nested(IN_HEADER, () => this.switchHeader());
        this.clauses(() => this.expressions());
        return;
      case "select":
        this.next();
        this.clauses(() => void this.simple());
        return;
      default:
        this.simpleOrLabeled();
    }
  }

  private simpleOrLabeled(): void {
    const isName = this.is("name");
    const operator = this.simple();
    if (isName && operator?.kind === ":" && this.accept(":") && !this.is("}")) this.within(() => this.statement());
  }

  /** Reads a simple statement. Returns the operator that makes it more than an expression, or the colon behind a label. */
  private simple(mayRange = false): GoToken | undefined {
    if (this.accept("name")) {
      if (this.is(":")) return this.token;
      this.expressionRest("name");
      if (this.accept(",")) this.expressions();
    } else this.expressions();
    const operator = this.token;
    if (this.accept("++") || this.accept("--")) return operator;
    if (this.accept("<-")) {
      this.expression();
      return operator;
    }
    if (!ASSIGNING.has(operator.kind)) return undefined;
    this.next();
    if (mayRange && this.accept("range")) this.expression();
    else this.expressions();
    return operator;
  }

  private ifRest(): void {
    this.nested(IN_HEADER, () => {
      let operator: GoToken | undefined;
      if (!this.is(";")) operator = this.simple();
      const end = this.token;
      if (this.accept(";")) {
        if (this.is("{")) this.fail(end);
        operator = this.simple();
      }
      // Only an expression is a condition.
      if (operator) this.fail(operator);
    });
    this.block();
    if (!this.accept("else")) return;
    if (this.accept("if")) this.within(() => this.ifRest());
    else this.block();
  }

  private forHeader(): void {
    if (this.is("{")) return;
    if (this.accept("range")) {
      this.expression();
      return;
    }
    if (!this.is(";")) this.simple(true);
    const end = this.token;
    if (!this.accept(";")) return;
    if (this.is("{")) this.fail(end);
    if (!this.is(";")) this.simple();
    this.expect(";");
    if (!this.is("{")) this.simple();
  }

  private switchHeader(): void {
    if (!this.is("{") && !this.is(";")) this.simple();
    if (this.accept(";") && !this.is("{")) this.simple();
  }

  private clauses(readCase: () => void): void {
    this.within(() => {
      this.expect("{");
      while (!this.accept("}")) {
        if (this.accept("case")) this.nested(0, readCase);
        else this.expect("default");
        this.expect(":");
        this.nested(0, () => this.statements());
      }
    });
  }
}
