// Writes pictures.jsonl: calls of $formatInteger, $parseInteger, $fromMillis and $toMillis
// and what jsonata-js makes of them, as functions.mjs does. Calls are left out where
// jsonata-js gives NaN, fails without a code, uses the present time, or is wrong in a way
// that Toolgraph is not (TestPicturesBetterThanJSONataJS).
//
//   npm install jsonata@2.2.2   (in any directory; run the script there)
//   node .../pictures.mjs [seed [factor]] > pictures.jsonl
import { createRequire } from "node:module";

process.env.TZ = "UTC";
const jsonata = createRequire(process.cwd() + "/")("jsonata");
const seed = Number(process.argv[2] ?? 1);
const factor = Number(process.argv[3] ?? 1);

let state = seed >>> 0;
function random() { // mulberry32
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const int = (n) => Math.floor(random() * n);
const pick = (list) => list[int(list.length)];
const chance = (p) => random() < p;
const text = (n, make) => Array.from({ length: n }, make).join("");

const compiled = new Map();
async function call(name, args) {
  const source = `$${name}(${args.map((_, i) => "a" + i).join(", ")})`;
  if (!compiled.has(source)) compiled.set(source, jsonata(source));
  try {
    const value = await compiled.get(source).evaluate(Object.fromEntries(args.map((a, i) => ["a" + i, a])));
    return value === undefined ? { nothing: true } : { value };
  } catch (e) {
    return { code: e.code ?? "error" };
  }
}

async function add(name, ...args) {
  const answer = await call(name, args);
  if (answer.code === "error" || /NaN|undefined/.test(String(answer.value ?? ""))) return;
  if (JSON.stringify(answer).length > 300) return;
  process.stdout.write(JSON.stringify({ f: name, args, ...answer }) + "\n");
}
const many = async (n, make) => { for (let i = 0; i < Math.round(n * factor); i++) await make(i); };

// Integers.

function integer() {
  switch (int(6)) {
    case 0: return int(30);
    case 1: return int(4000);
    case 2: return -int(3000);
    case 3: return pick([0, 1, 99, 100, 101, 110, 111, 112, 113, 1000, 1001, 1100, 12345, 1000000, 1000001, 1234567890, 1e12, 1e13, 1234567890123456, 1e15, 1e18, 1e21, -1, 2.5, -2.5, 0.9, -0.1]);
    case 4: return int(1e9);
    default: return int(1e6) * int(1e6);
  }
}
const commas = ["0", "1", "00", "000", "#0", "#,##0", "0,000", "w", "W", "Ww", "w;o", "W;o", "Ww;o", "A", "a", "I", "i", "0;o", "1;o", "01;o", "#,##0;o", "٠", "०", "०٠", "#", "###", "x", "", "A;o", "0;c", "0;x", "000;o", "B", "b", "９９", "abc", "wW", "#,#", ",0", "#;o", "i;o"];
const others = ["#.##0", "##-##-00", "#'##0", "0 0", "0a0", "0;0;o", "0,", "0'"];
const roman = (picture) => /^[iI]/.test(picture);

await many(350, () => {
  const picture = pick([...commas, ...others]);
  // Irregular groups need all their digits in jsonata-js.
  return add("formatInteger", roman(picture) ? int(4000) : /[-a]/.test(picture) ? 1e6 + int(1e9) : integer(), picture);
});
await many(30, () => add("formatInteger", 1e8 + int(1e9), pick(["#,##,##0", "#,##0.00", "0,0000,000", "##'##,##0"])));
await many(200, async () => {
  const picture = pick(commas);
  const { value } = await call("formatInteger", [roman(picture) ? int(4000) : pick([int(40), int(4000), int(1e6), int(1e9)]), picture]);
  if (value) await add("parseInteger", value, picture);
});
const forms = { w: ["twelve", "Twelve", "one hundred and five", "nonsense", "twenty-first", "one thousand, two hundred", "two million", "hundred", ""], I: ["MCMXC", "XIV", "IIII", "IC"], A: ["Z", "AA", "ABC"], "#,##0": ["12", "-12", "1,234", "1.5", "12abc", "abc", "+5", " 5", "12th", "007", "1,2,3"] };
await many(60, async () => {
  const picture = pick(Object.keys(forms));
  await add("parseInteger", pick(forms[picture]), picture);
});

// Times.

const millis = () => pick([0, 1, 1521801216617, -1, 1609459199999, 1583020800000, 1e12 + int(1e9), int(4e12), int(4e12), -int(1e12), -int(1e13), 951782400000, 1230768000000, 1262304000000, 1420070400000, 8.6e15]);
const components = [..."YMDdFWwXxHhPmsfZzCE"];
const presentations = ["", "", "1", "01", "001", "0001", "N", "n", "Nn", "w", "W", "Ww", "I", "i", "a", "A", "1o", "Wo", "wo", "Wwo", "#0", "9,999", "N,3-3", "Nn,3-3", "n,3", "Nn,*-3", ",2", ",2-2", ",*-2", "0001,2", "01:01", "01:01t", "0", "00", "0101", "0101t", "00:00", "1t", "001,2-3", "99", "9", "Y", "x", "o", "01,3-4", "001o", " 01 ", "٠١"];
const between = ["-", "/", " ", ":", "T", ", ", "[[", "]]", " at ", "", "x", "(.*)", "é"];
const pictures = ["[Y]-[M]-[D]", "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]", "[D1o] [MNn] [Y]", "[FNn], [D1] [MNn,3-3] [Y0001]", "[h]:[m01] [P]", "[h]:[m01] [PN]", "[H01]:[m01]:[s01]", "[W]", "[w]", "[X]-W[W01]-[F1]", "[Yw]", "[YI] [MI] [DI]", "[Da] [MA]", "[Z]", "[z]", "[Z0]", "[Z0101]", "[Z01:01]", "[C] [E]", "[dwo]", "[M]/[D]/[Y,2-2]", "[Y0001][M01][D01]", "[q]", "[Y", "[YN]", "[Dwo] [MNn] [Yw]", "[M01]/[D01]/[Y0001] [H01]:[m01]", "[f]", "[f01]", "[f001]", "[Y9,999,*]", "[ M01 ]", "[[[Y]]]", "", "plain", "[]"];
const zones = ["+0100", "-0500", "+0530", "+0000", "0000", "+1400", "0100", "-1100"];
const marker = () => `[${pick(components)}${pick(presentations)}]`;
const picture = () => (chance(0.4) ? pick(pictures) : text(1 + int(4), () => marker() + pick(between)));

await many(30, () => add("fromMillis", millis()));
await many(500, () => add("fromMillis", millis(), marker(), ...(chance(0.4) ? [pick(zones)] : [])));
await many(200, () => add("fromMillis", millis(), picture(), ...(chance(0.4) ? [pick(zones)] : [])));

const dates = ["2018-03-23T10:33:36.617Z", "2018-03-23", "2018-03", "2018", "2018-03-23T10:33:36Z", "2018-03-23T10:33:36", "2018-03-23T10:33:36+01:00", "2018-03-23T10:33:36.617+0100", "2018-03-23T10:33:36.1Z", "2018-3-1", "nope", "", "2018-03-23T10:33", "2018-03-23T24:00:00Z", "2018-03-23Z", "2018-03T10:33:36Z", "2018T10:33:36-05:30", "2018-03-23T10:33:36.123456789Z", "2018-03-23T10:33:36.617-05:30", "2018-03-23 10:33:36", "20180323", "2018-03-23T10:33:36,5Z", "0001-01-01", "9999-12-31T23:59:59.999Z", "2018Z", "0000-02-29", "2016-02-29", "1969-12-31T23:59:59.999Z"];
for (const s of dates) await add("toMillis", s);
const readable = ["[Y]-[M]-[D]", "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]", "[D1o] [MNn] [Y]", "[FNn], [D1] [MNn,3-3] [Y0001]", "[Yw]", "[YI] [MI] [DI]", "[Da] [MA] [Yi]", "[Y]-[M]-[D] [Z]", "[Y]-[M]-[D] [z]", "[Y]-[M]-[D]T[H]:[m][Z0101]", "[Y]-[M]-[D]T[H]:[m][Z01:01]", "[Y]-[d]", "[Y] [dwo]", "[M]/[D]/[Y,2-2]", "[Y0001][M01][D01]", "[Dwo] [MNn] [Yw]", "[M01]/[D01]/[Y0001] [h01]:[m01] [PN]", "[Y][f]", "[X]-[W]-[F1]", "[X] [x] [w] [F1]", "[Y] [H]", "[Y]-[M] [m]", "[Y]-[M]-[D] [h]:[m]:[s].[f] [P]", "[Y1]-[M1,2-2]", "[Y] [E] [C]", "[Y]-[M]-[D] [F1]", "[Y] [MW;o]", "[Y0001][d001]", "[YWw], [MWw]", "(.*)[Y]?", "[Y]+", "[Y]-[M01]-[D01] [H01][m01]"];
await many(300, async () => {
  const form = pick(readable);
  const { value } = await call("fromMillis", [Math.abs(millis()) % 7e12, form, ...(chance(0.2) ? ["+0100"] : [])]);
  await add("toMillis", value && chance(0.9) ? value : pick(["2018-03-23", "23rd March 2018", "3/4/18", "", "x", "2018-2-30", "Two Thousand and Eighteen", "2018-13-45"]), form);
});
