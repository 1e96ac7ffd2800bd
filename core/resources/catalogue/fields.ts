/** Fields of catalogue entries. Forms show the descriptions. */
export const text = (description: string) => ({ type: "string", description });
/** A field that forms hide. Its value should be a reference to a secret variable, such as `$var:f/ops/password`. */
export const secret = (description: string) => ({ type: "string", description, format: "password", password: true });
/** A number. */
export const number = (description: string) => ({ type: "number", description });
/** A switch. */
export const flag = (description: string) => ({ type: "boolean", description });
/** A choice of fixed values. */
export const oneOf = (description: string, values: readonly string[]) => ({ type: "string", description, enum: values });
/** A text of several lines. */
export const longText = (description: string) => ({ type: "string", description, format: "textarea" });
