import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";

/** A file of a form and the argument for which it was sent. */
export interface FormFile {
  argument: string;
  filename: string;
  contentType: string;
  bytes: Buffer;
}

export interface Form {
  fields: [string, string][];
  files: FormFile[];
}

const NO_NAME = "a part has no name, so it cannot become an argument";

/** Parses a `multipart/form-data` body. Throws `payload.form` for a missing boundary, a truncated body, a part without a name, or too many parts or files. */
export async function readMultipart(contentType: string, bytes: Buffer): Promise<Form> {
  // Loaded with the first form, because most requests are not forms.
  const { default: busboy } = await import("busboy");
  return new Promise((resolve, reject) => {
    const refuse = (reason: string) => reject(new SvcError("payload.form", { reason }));
    const form: Form = { fields: [], files: [] };
    let parser: ReturnType<typeof busboy>;
    try {
      parser = busboy({
        headers: { "content-type": contentType },
        // Browsers and clients send the names of files and fields in UTF-8.
        defParamCharset: "utf8",
        limits: { parts: limits.formParts, files: limits.formFiles, fieldSize: limits.requestBodyBytes },
      });
    } catch (error) {
      refuse(error instanceof Error ? error.message : "its parts are malformed");
      return;
    }
    // According to the types of the package, every part has a name.
    parser.on("field", (name: string | undefined, value) => (name === undefined ? refuse(NO_NAME) : form.fields.push([name, value])));
    parser.on("file", (argument: string | undefined, stream, { filename, mimeType }) => {
      if (argument === undefined) {
        refuse(NO_NAME);
        stream.resume();
        return;
      }
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("error", () => undefined);
      stream.on("end", () =>
        form.files.push({ argument, filename: filename ?? "file", contentType: mimeType, bytes: Buffer.concat(parts) }),
      );
    });
    parser.on("partsLimit", () => refuse(`it has more than ${limits.formParts} parts`));
    parser.on("filesLimit", () => refuse(`it has more than ${limits.formFiles} files`));
    parser.on("error", (error) => refuse(error instanceof Error ? error.message : "its parts are malformed"));
    parser.on("close", () => resolve(form));
    parser.end(bytes);
  });
}
