/** The fields that catalogue entries are made of. Descriptions show in forms. */
export const text = (description: string) => ({ type: "string", description });
/** Shown as dots. Best given as a reference to a secret variable, `$var:f/ops/password`. */
export const secret = (description: string) => ({ type: "string", description, format: "password", password: true });
export const number = (description: string) => ({ type: "number", description });
export const flag = (description: string) => ({ type: "boolean", description });
export const oneOf = (description: string, values: readonly string[]) => ({ type: "string", description, enum: values });
export const longText = (description: string) => ({ type: "string", description, format: "textarea" });
