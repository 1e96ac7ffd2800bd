// The kinds of objects that are plain fields, each in a folder: `export { note } from "./note/kind.ts";`.
export {};
