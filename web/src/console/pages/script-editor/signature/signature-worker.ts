import { parseSource, toArgumentsSchema } from "../../../../../../core/signatures/parse-source.ts";
import type { SignatureAnswer, SignatureRequest } from "./use-signature.ts";

addEventListener("message", ({ data: { id, parser, content } }: MessageEvent<SignatureRequest>) => {
  const signature = parseSource(parser, content);
  const answer: SignatureAnswer = signature.ok
    ? { id, schema: toArgumentsSchema(signature), hasMain: signature.hasMain, hasPreprocessor: signature.hasPreprocessor }
    : { id, error: signature.error };
  postMessage(answer);
});
