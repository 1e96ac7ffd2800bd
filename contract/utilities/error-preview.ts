const NAME = /^\{"error":\{(?:[^{}]*,)?"name":"((?:[^"\\]|\\.)*)"/;
const MESSAGE = /"message":"((?:[^"\\]|\\.)*)/;

/** Reads a text from the beginning of JSON, which may end in the middle of it. */
function unescaped(text: string | undefined): string {
  try {
    return String(JSON.parse(`"${text ?? ""}"`));
  } catch {
    // The preview ends within an escape sequence.
    return text ?? "";
  }
}

/** Reads the error from the preview of a failed run's result, which contains only its first bytes. */
export function readErrorPreview(preview: string | undefined): { name: string; message: string } | undefined {
  if (!preview?.startsWith('{"error":{')) return undefined;
  const name = NAME.exec(preview)?.[1];
  return name ? { name: unescaped(name), message: unescaped(MESSAGE.exec(preview)?.[1]) } : undefined;
}
