import type { BuiltInType } from "../type.ts";
import { ai } from "./ai.ts";
import { authentication } from "./authentication.ts";
import { business } from "./business.ts";
import { clouds } from "./clouds.ts";
import { databases } from "./databases.ts";
import { development } from "./development.ts";
import { general } from "./general.ts";
import { messaging } from "./messaging.ts";

/** The resource types of every workspace. A workspace may replace each with its own. */
export const catalogue: readonly BuiltInType[] = [
  ...general,
  ...authentication,
  ...databases,
  ...clouds,
  ...messaging,
  ...ai,
  ...development,
  ...business,
];
