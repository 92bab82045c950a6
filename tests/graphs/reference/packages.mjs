// The packages that the reference is made of, from the folder in the first argument.
import { createRequire } from "node:module";
import { join } from "node:path";

const load = createRequire(join(process.argv[2], "package.json"));

export const jsonata = load("jsonata");
export const jsonLogic = load("json-logic-js");

// untouched is json-logic-js once more, for its operators as they come.
const path = load.resolve("json-logic-js");
delete load.cache[path];
export const untouched = load("json-logic-js");
