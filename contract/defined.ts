type Merged<T> = { [K in keyof T]: T[K] };
/** The fields of a type without those that are undefined. */
export type Defined<T> = Merged<
  { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
    [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
  }
>;

/**
 * Returns the fields that are not undefined, in their order. Replies and stored values leave absent fields out.
 *
 * @example
 * const json = { path, ...defined({ labels, custom_path: app.customPath }) };
 */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;

/**
 * Returns what `convert` returns for a value, and `undefined` for an absent one.
 *
 * @example
 * const json = { path, ...defined({ deadline: mapDefined(deadlineMs, toIsoTime) }) };
 */
export const mapDefined = <T, R>(value: T | undefined, convert: (value: T) => R): R | undefined =>
  value === undefined ? undefined : convert(value);
