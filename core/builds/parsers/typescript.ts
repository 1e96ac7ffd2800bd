import { parser } from "@lezer/javascript";
import { boundWork } from "./bounded-parser.ts";

export const typescript = boundWork(parser.configure({ dialect: "ts" }));
export const typescriptJsx = boundWork(parser.configure({ dialect: "ts jsx" }));
