/* The interpreter and its caller share this limit. It is in a separate file, because the caller does not load the interpreter. */

/** Processor time of the interpreter's thread. */
export const EXPRESSION_MS = 500;
/** The reason for the failure of an expression that exceeded its time. */
export const TOO_LONG = `it took longer than ${EXPRESSION_MS} ms.`;
