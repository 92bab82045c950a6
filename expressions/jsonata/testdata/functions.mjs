// Writes functions.jsonl: calls of functions of JSONata and what jsonata-js makes of
// them. Each row has the function, its arguments, and a value or an error code ("error"
// where jsonata-js fails without one). Numbers that are not finite are texts.
//
//   npm install jsonata@2.2.2   (in any directory; run the script there)
//   node .../functions.mjs [seed [factor]] > functions.jsonl
import { createRequire } from "node:module";

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
const times = (n, make) => Array.from({ length: n }, make);
const text = (n, make) => times(n, make).join("");

const calls = []; // [function, ...arguments]
const add = (...call) => calls.push(call);
const many = (n, make) => { for (let i = 0; i < Math.round(n * factor); i++) make(i); };

// Numbers.

function number() {
  switch (int(9)) {
    case 0: return pick([0, 1, -1, 0.5, 1.5, 2.5, -0.5, -2.5, 0.05, 2.675, 1.005, 34.45, 34.55, 0.1, 0.15, 0.25, 9.995, 99.95, 999.5, 1e15]);
    case 1: return int(2000) - 1000;
    case 2: return (int(200000) - 100000) / 100;
    case 3: return (int(2000001) - 1000000) / 1000 + 0.0005;
    case 4: return int(100) + 0.5;
    case 5: return (random() - 0.5) * 10 ** (int(30) - 10);
    case 6: return int(1e9) * int(1e6) * (chance(0.5) ? 1 : -1);
    case 7: return Number((random() * 10 ** int(8)).toFixed(int(6)));
    default: return pick([1e21, 1.5e22, -1e21, 123456789012345680000, 1e-7, 5e-324, 1.7976931348623157e308, 9007199254740993, 4503599627370497.5, 1e300, 0.000001]);
  }
}

// $formatNumber.

const pictures = [
  "0", "#", "0.0", "0.00", "#.##", "#,##0", "#,##0.00", "00000", "#0.###", "0.###", "#,###", "#,##,##0.00", "##,##,##0", "#,###,#0", "0,0,0.0",
  "0.00,00,00", "#,##0.00,00", "0.0,0,0", "0.###,###", "0%", "0.0%", "#%", "0‰", "#.#‰", "0.0e0", "#.##e0", "00.0e00", "0e0", "#e0", "##0.0##e000", "0.000000e0",
  "0;(0)", "#,##0.00;-#,##0.00", "0.0;neg 0.0", "$0.00", "0.00 EUR", "€#,##0", "[0]", "a0b", "#.0e0", ".00", "#.", "0.", ".#", "#.#", "##.##", "000.000", "0000,0", "#,#,0",
  "0.##########", "#0.0000000000000000", "###############0", "0 %", "+0;-0", "(0)", "0x", "0.0 e", "0e", "e0", "0ee0", "0e0e0", "0e#", "0e", "0.0.0", "0%%", "0‰‰", "0%‰", "0%e0", "0;0;0", "",
  "abc", ",", ".", "0,.0", "0.,0", "0,", ",0", "0,,0", "0#", "#0#", "0.#0", "0.0#0", "0a0", "#,##0.0a", "0 0", "e", "%", ";", "0;", ";0", "0.00;#", "#;0.00", "#,##0;(#,##0)", "0.0%;-0.0‰",
];
const pieces = ["0", "0", "0", "0", "#", "#", "#", ",", ".", "e", "%", "‰", ";", "$", " ", "-", "x", "1", "9", "(", ")", "é", "😀"];

function integerPart() {
  const size = int(7), mandatory = int(size + 1);
  let out = "";
  for (let i = size; i > 0; i--) out += (i > mandatory ? "#" : pick(["0", "0", "0", "1", "9"])) + (i > 1 && chance(0.25) ? "," : "");
  return out;
}

function fraction() {
  const size = int(7), mandatory = int(size + 1);
  return text(size, (_, i) => (i < mandatory ? "0" : "#") + (i + 1 < size && chance(0.1) ? "," : ""));
}

function picture() {
  if (chance(0.3)) return pick(pictures);
  if (chance(0.12)) return text(1 + int(8), () => pick(pieces));
  const one = () => {
    let out = integerPart();
    if (chance(0.7)) out += "." + fraction();
    if (chance(0.2)) out += "e" + text(1 + int(3), () => "0");
    else if (chance(0.2)) out += pick(["%", "‰"]);
    return (chance(0.15) ? pick(["$", "€ ", "(", "-", "x"]) : "") + out + (chance(0.15) ? pick([" EUR", ")", "!", " each"]) : "");
  };
  return one() + (chance(0.2) ? ";" + one() : "");
}

function options() {
  const out = {};
  const from = {
    "decimal-separator": [",", "·", ".", "::", "", "d"], "grouping-separator": [".", " ", "'", " ", "", "gg"], "exponent-separator": ["E", "^", "×", "x10", ""],
    "minus-sign": ["−", "minus ", ""], percent: ["pc", "p", "٪", ""], "per-mille": ["m", "؉"], "zero-digit": ["٠", "०", "０", "a", "𝟎", "", "00", "1"],
    digit: ["*", "?", "0", "##", ""], "pattern-separator": ["|", "/", "", ";;"], infinity: ["inf"], NaN: ["none"], unknown: ["x"],
  };
  for (const name of Object.keys(from)) if (chance(0.12)) out[name] = pick(from[name].slice(0, chance(0.8) ? 3 : undefined));
  return out;
}

// translated is a picture in the symbols of options, mostly.
function translated(text, options) {
  const marks = { ".": "decimal-separator", ",": "grouping-separator", e: "exponent-separator", "%": "percent", "‰": "per-mille", "#": "digit", ";": "pattern-separator" };
  const zero = options["zero-digit"]?.codePointAt(0);
  return [...text].map((c) => {
    if (chance(0.02)) return c;
    if (c >= "0" && c <= "9" && zero) return String.fromCodePoint(zero + Number(c));
    return options[marks[c]] ?? c;
  }).join("");
}

many(pictures.length, (i) => add("formatNumber", number(), pictures[i % pictures.length]));
many(60, () => add("formatNumber", pick([0.5, 1.5, 2.5, 0.125, 2.675, 34.45, 1.005, -0.05, 1e-9, -1e-9, 0]), pick(["0", "0.0", "0.00", "#.#", "#", "0.0e0", "0%"])));
many(260, () => add("formatNumber", number(), picture()));
many(140, () => {
  const set = options();
  add("formatNumber", number(), translated(picture(), set), set);
});
add("formatNumber", 1, "0." + "0".repeat(100));
add("formatNumber", 1 / 3, "0." + "0".repeat(100));
add("formatNumber", 1, "0." + "0".repeat(101));
add("formatNumber", 1e308, "0%");
add("formatNumber", 1e308, "#,##0.00%");
add("formatNumber", 5e-324, "0.0e0");
add("formatNumber", 1e10, "#.##e0");

// $formatBase and $round.

many(110, () => add("formatBase", number(), pick([2, 2, 8, 16, 16, 36, 3, 7, 10, 1.5, 2.5, 35.6, 36.5, 1, 0, -2, 37, 100, 2 + int(35)])));
many(20, () => add("formatBase", number()));
many(60, () => add("round", number()));
many(150, () => add("round", number(), pick([0, 1, 1, 2, 2, 3, 5, 10, 15, 20, -1, -1, -2, -3, -10, 300, 310, -310])));

// $number of texts.

const spaces = ["", "", "", " ", "\t", "\n", "\u00a0", "\ufeff", "\u2003", "\u2028", "\u0085", "\u200b", "  "];
const digits = (n, from) => text(n, () => pick(from));
many(90, () => {
  let s = (chance(0.3) ? "-" : chance(0.1) ? "+" : "") + digits(int(6) + (chance(0.9) ? 1 : 0), "0123456789");
  if (chance(0.5)) s += "." + digits(int(5), "0123456789");
  if (chance(0.4)) s += pick(["e", "E"]) + pick(["", "-", "+"]) + digits(int(4), "0123456789");
  if (chance(0.15)) s = pick(spaces) + s + pick(spaces);
  add("number", s);
});
many(90, () => {
  let s = pick(["0x", "0X", "0o", "0O", "0b", "0B"]);
  const lower = s[1].toLowerCase();
  s += digits(int(20) + (chance(0.95) ? 1 : 0), chance(0.85) ? { x: "0123456789abcdefABCDEF", o: "01234567", b: "01" }[lower] : "0123456789abcdefg");
  if (chance(0.3)) s = pick(spaces) + pick(["", "", "-", "+", "x", "1"]) + s + pick(spaces) + pick(["", "", "", "_", "x", "0o1", "0b1"]);
  add("number", s);
});
for (const s of ["", " ", "1_000", "  12 ", "1e1000", "-1e1000", "1e-1000", "Infinity", "NaN", ".5", "5.", "-0", "00012", "1e5.5", "0x" + "f".repeat(300), "0b" + "1".repeat(54),
  "0x20000000000001", "0x20000000000003", "0o", "0b2", "0x1_0", "0b-1", "0x+1", "١٢", "12\n", "\n12", "9".repeat(400), "0." + "0".repeat(400) + "1", "1,000", "$1", "true", "null", "1 2",
  "179769313486231580793728971405301e276", "123456789012345678901234567890", "0.1e1", "\ufeff0o17", "0o17\ufeff", "\u00850o17", "\u200b0o17", "\u00a00b11", "0x1f\u2029", "1E+05", "4.9e-324", "2.4e-324"]) add("number", s);

// Addresses and base64.

const characters = ["a", "Z", "0", "-", "_", ".", "!", "~", "*", "'", "(", ")", ";", "/", "?", ":", "@", "&", "=", "+", "$", ",", "#", " ", "%", '"', "<", "\\", "^", "`", "{", "|", "\n", "\u0000", "\u007f", "é", "ÿ", "Ā", "€", "日", "\uffff", "\ufffd", "😀", "\u{10ffff}"];
many(60, () => {
  const s = text(int(10), () => pick(characters));
  add("encodeUrl", s);
  add("encodeUrlComponent", s);
});
const bytes = ["%41", "%20", "%3B", "%3b", "%2F", "%2f", "%3F", "%23", "%26", "%25", "%C3%A9", "%c3%a9", "%E2%82%AC", "%F0%9F%98%80", "%F4%8F%BF%BF", "a", "é", "+", "/", "日"];
const broken = ["%", "%4", "%G1", "%E0", "%80", "%C3", "%C3%", "%C0%80", "%E0%80%80", "%ED%A0%80", "%F4%90%80%80", "%F8%88%80%80%80", "%C3%41", "%E2%82", "%FF", "%C3A9", "% 41"];
many(80, () => {
  const s = text(int(6), () => pick(chance(0.12) ? broken : bytes));
  add("decodeUrl", s);
  add("decodeUrlComponent", s);
});
for (const s of broken) { add("decodeUrl", s); add("decodeUrlComponent", "x" + s + "y"); }

// What is beyond ASCII is left out: Toolgraph encodes and decodes it as UTF-8.
const ascii = () => String.fromCharCode(chance(0.8) ? 32 + int(95) : int(128));
many(50, () => add("base64encode", text(int(12), ascii)));
many(60, () => {
  let s = Buffer.from(text(int(12), ascii), "latin1").toString(chance(0.3) ? "base64url" : "base64");
  if (chance(0.4)) s = [...s].map((c) => (chance(0.1) ? pick(["", " ", "\n", "*", "=", "é", c + "-", c + "\r\n"]) : c)).join("");
  if (Buffer.from(s, "base64").every((byte) => byte < 128)) add("base64decode", s);
});

// Case.

const letters = ["a", "Z", "ß", "ẞ", "ŉ", "ǰ", "ΐ", "ﬁ", "ﬃ", "և", "ᾳ", "ᾼ", "ᾷ", "ῼ", "İ", "I", "ı", "i", "i̇", "Σ", "Σ", "ς", "σ", "Α", "ά", "'", "’", ".", "·", ":", "\u00ad", "\u0301", "\u0345", " ", "1", "ǆ", "ǅ", "Ǆ", "ⅷ", "ⓐ", "Ꭰ", "ꭰ", "ა", "Ა", "ა", "ꙗ", "𐐀", "𐐨", "𞤀", "Ω", "K", "Å", "ſ", "日", "é", "É", "ὀ", "ᾈ", "straße ", "ΌΣΟΣ", "ǉ"];
many(60, () => {
  const s = text(1 + int(7), () => pick(letters));
  add("uppercase", s);
  add("lowercase", s);
});

const compiled = new Map();
for (const [name, ...args] of calls) {
  const source = `$${name}(${args.map((_, i) => `$[${i}]`).join(", ")})`;
  if (!compiled.has(source)) compiled.set(source, jsonata(source.replace(/\$\[(\d)\]/g, "$$.a$1")));
  const row = { f: name, args };
  try {
    const value = await compiled.get(source).evaluate(Object.fromEntries(args.map((a, i) => ["a" + i, a])));
    row.value = typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  } catch (e) {
    row.code = e.code ?? "error";
  }
  process.stdout.write(JSON.stringify(row) + "\n");
}
