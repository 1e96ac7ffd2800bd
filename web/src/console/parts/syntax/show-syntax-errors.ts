import { type Diagnostic, linter } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { type EditorView, ViewPlugin } from "@codemirror/view";
import { createWorker } from "../worker/create-worker.ts";
import type { SyntaxProblem } from "./syntax-problem.ts";
import workerAddress from "./syntax-worker.ts?worker&url";

type Language = "go" | "bash";

export interface SyntaxRequest {
  id: number;
  language: Language;
  text: string;
}

export interface SyntaxAnswer {
  id: number;
  problems: readonly SyntaxProblem[];
}

/** The worker of one editor. It starts with the first question. */
class SyntaxChecker {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, (problems: readonly SyntaxProblem[]) => void>();
  private lastId = 0;

  find(language: Language, text: string): Promise<readonly SyntaxProblem[]> {
    this.worker ??= this.start();
    const request: SyntaxRequest = { id: ++this.lastId, language, text };
    this.worker.postMessage(request);
    return new Promise((resolve) => this.waiting.set(request.id, resolve));
  }

  private start(): Worker {
    const worker = createWorker(workerAddress);
    worker.onmessage = ({ data: { id, problems } }: MessageEvent<SyntaxAnswer>) => {
      this.waiting.get(id)?.(problems);
      this.waiting.delete(id);
    };
    // The next question starts another one.
    worker.onerror = () => this.destroy();
    return worker;
  }

  destroy(): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const resolve of this.waiting.values()) resolve([]);
    this.waiting.clear();
  }
}

/** Shows the syntax errors of Go or Bash. A worker finds them, so a long text is no long task. */
export function showSyntaxErrors(language: Language): Extension {
  const plugin = ViewPlugin.define(() => new SyntaxChecker());
  const find = async (view: EditorView) => {
    const problems = (await view.plugin(plugin)?.find(language, view.state.doc.toString())) ?? [];
    return problems.map(({ isWarning = false, ...problem }): Diagnostic => ({ ...problem, severity: isWarning ? "warning" : "error" }));
  };
  return [plugin, linter(find)];
}
