import { parser } from "@lezer/python";
import { boundWork } from "./bounded-parser.ts";

export const python = boundWork(parser);
