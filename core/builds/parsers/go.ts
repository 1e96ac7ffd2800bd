import { parser } from "@lezer/go";
import { boundWork } from "./bounded-parser.ts";

export const go = boundWork(parser);
