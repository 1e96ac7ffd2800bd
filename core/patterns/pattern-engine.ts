import { RE2JS, RE2JSException } from "re2js";
import { MAX_PATTERN_SIZE, PatternError, translatePattern } from "./translate-pattern.ts";

/**
 * The work that the patterns of one schema may do on one value, in instructions times characters. Linear time alone does not bound the time:
 * one short schema may apply many patterns to the same long text. It takes at most half a second, and also bounds the memory of the states.
 */
export const MAX_PATTERN_WORK = 10_000_000;

/** The engine of the option `code.regExp` of Ajv. */
interface PatternEngine {
  (pattern: string): CompiledPattern;
  code: string;
}
interface CompiledPattern {
  /** Throws `PatternError` when the work of all patterns of the engine exceeds `MAX_PATTERN_WORK`. */
  test(text: string): boolean;
  toString(): string;
}

/**
 * Creates an engine that matches the patterns of one schema in linear time. The patterns share one limit of size and one of work. Compiling
 * throws `PatternError` for a pattern that cannot run in linear time.
 */
export function createPatternEngine(): PatternEngine {
  const compiled = new Map<string, CompiledPattern>();
  let size = 0;
  let work = 0;

  function compile(pattern: string): CompiledPattern {
    const translated = translatePattern(pattern);
    size += translated.size;
    if (size > MAX_PATTERN_SIZE) {
      throw new PatternError(pattern, "and the patterns before it are together too large. Shorten or remove some");
    }
    const program = compileProgram(pattern, translated.expression);
    const instructions = program.programSize();
    return {
      test(text) {
        work += instructions * (text.length + 1);
        if (work > MAX_PATTERN_WORK) {
          throw new PatternError(pattern, "takes too long on this value. Shorten the value, or simplify the pattern");
        }
        return program.test(text);
      },
      // Ajv treats patterns with the same text as the same pattern.
      toString: () => pattern,
    };
  }

  const engine = (pattern: string) => {
    const compiledPattern = compiled.get(pattern) ?? compile(pattern);
    compiled.set(pattern, compiledPattern);
    return compiledPattern;
  };
  // Ajv needs this name only to write a validator to a file.
  return Object.assign(engine, { code: "createPatternEngine()" });
}

function compileProgram(pattern: string, expression: string): RE2JS {
  try {
    return RE2JS.compile(expression);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(
      pattern,
      "cannot run in linear time: it repeats a part more than 1000 times in total, is nested too deeply, or names an unknown script. Simplify it",
      // The message of the engine quotes the translation, which the author does not know.
    );
  }
}
