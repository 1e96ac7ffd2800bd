import { findBashErrors } from "./bash/bash.ts";
import { findGoErrors } from "./go/go.ts";
import type { SyntaxAnswer, SyntaxRequest } from "./show-syntax-errors.ts";

const finders = { go: findGoErrors, bash: findBashErrors };

addEventListener("message", ({ data: { id, language, text } }: MessageEvent<SyntaxRequest>) => {
  const answer: SyntaxAnswer = { id, problems: finders[language](text) };
  postMessage(answer);
});
