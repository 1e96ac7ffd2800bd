import { useEffect, useRef, useState } from "react";
import type { SignatureParser } from "../../../../../../core/signatures/parse-source.ts";
import { createWorker } from "../../../parts/worker/create-worker.ts";
import workerAddress from "./signature-worker.ts?worker&url";

export interface SignatureRequest {
  id: number;
  parser: SignatureParser;
  content: string;
}

/** The arguments of a source, or why they cannot be read. */
export type SignatureAnswer = { id: number } & (
  | { schema: Record<string, unknown>; hasMain: boolean; hasPreprocessor: boolean; error?: undefined }
  | { error: string; schema?: undefined }
);

const TYPED_MS = 400;

const parsers: Readonly<Record<string, SignatureParser>> = {
  bun: "typescript",
  bunnative: "typescript",
  deno: "typescript",
  nodejs: "typescript",
  nativets: "typescript",
  python3: "python",
  go: "go",
  bash: "bash",
};

/** Returns whether the parameters of a language can be read. */
export const hasSignature = (language: string): boolean => language in parsers;

/** Reads the signature of a source after each pause, in a worker and with the parsers of the service. The last answer stays until the next one. */
export function useSignature(language: string, content: string): SignatureAnswer | undefined {
  const [answer, setAnswer] = useState<SignatureAnswer>();
  const worker = useRef<Worker>(undefined);
  const lastId = useRef(0);
  useEffect(() => () => worker.current?.terminate(), []);
  const isFirst = answer === undefined;
  useEffect(() => {
    const parser = parsers[language];
    if (!parser) return;
    const timer = setTimeout(
      () => {
        if (!worker.current) {
          worker.current = createWorker(workerAddress);
          worker.current.onmessage = ({ data }: MessageEvent<SignatureAnswer>) => {
            if (data.id === lastId.current) setAnswer(data);
          };
        }
        const request: SignatureRequest = { id: ++lastId.current, parser, content };
        worker.current.postMessage(request);
      },
      isFirst ? 0 : TYPED_MS,
    );
    return () => clearTimeout(timer);
  }, [language, content, isFirst]);
  return hasSignature(language) ? answer : undefined;
}
