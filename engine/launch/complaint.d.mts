export class Complaint extends Error {}
export function explain(error: unknown, out?: { write(text: string): unknown }): number;
