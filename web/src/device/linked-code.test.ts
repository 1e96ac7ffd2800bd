import { expect, it } from "vitest";
import { linkedCode } from "./linked-code.ts";

it.each([
  ["", undefined],
  ["?user_code=", undefined],
  ["?user_code=%20", undefined],
  ["?code=BCDF-GHJK", undefined],
  ["?user_code=BCDF-GHJK", "BCDF-GHJK"],
  ["?user_code=BCDF+GHJK&x=1", "BCDF GHJK"],
  [`?user_code=${"B".repeat(60)}`, "B".repeat(50)],
])("the address with %j contains the code %s", (search, code) => {
  expect(linkedCode({ search })).toBe(code);
});
