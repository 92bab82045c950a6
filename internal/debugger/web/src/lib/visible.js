// Characters that are not seen, or that change how others are seen, are drawn as escapes: what a value
// holds must not look like something else, and a name must not pretend to be another.
import { h } from 'preact';

// Controls but line break and tab, marks and overrides of the direction, zero width, fillers, tags, and halves
// of pairs. Joiners stay where scripts and emoji need them.
const joined = '(?<=[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Tamil}\\p{Script=Sinhala}\\p{Script=Malayalam}\\p{M}\\p{ExtPict}])';
const hidden = '\\0-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb'
  + '\\u{e0000}-\\u{e0fff}\\p{Cs}';
const one = `[${hidden}]|${joined.replace('<=', '<!')}[\\u200c\\u200d]`;
const first = new RegExp(one, 'u');
const every = new RegExp(`(${one})`, 'gu');

const names = {
  '200B': 'zero width space', '200C': 'zero width non-joiner', '200D': 'zero width joiner', '200E': 'left-to-right mark', '200F': 'right-to-left mark', '061C': 'Arabic letter mark',
  '202A': 'left-to-right embedding', '202B': 'right-to-left embedding', '202C': 'pop directional formatting', '202D': 'left-to-right override', '202E': 'right-to-left override',
  '2066': 'left-to-right isolate', '2067': 'right-to-left isolate', '2068': 'first strong isolate', '2069': 'pop directional isolate', '2060': 'word joiner',
  '00AD': 'soft hyphen', 'FEFF': 'byte order mark', '2028': 'line separator', '2029': 'paragraph separator',
};

const codeOf = (c) => c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
const escaped = (c) => (c === '\r' ? '\\r' : codeOf(c).length > 4 ? `\\u{${codeOf(c)}}` : `\\u${codeOf(c)}`);

// plain is a text with escapes, for attributes and for places that hold nothing but text.
export const plain = (text) => (typeof text === 'string' && first.test(text) ? text.replace(every, escaped) : text);

// unseenIn are the characters of a text that are not seen, each once, as U+202E.
export const unseenIn = (text) => (first.test(text) ? [...new Set(text.match(every))].map((c) => `U+${codeOf(c)}`) : []);

// around is the part of a text, of some length, in which its first character is that is not seen.
export function around(text, length = 160) {
  const from = Math.max(0, text.search(first) - length / 4);
  const part = text.slice(from, from + length);
  const head = from > 0 ? `…${part.replace(/^[\udc00-\udfff]/, '')}` : part; // halves of pairs that the cut leaves
  return from + length < text.length ? `${head.replace(/[\ud800-\udbff]$/, '')}…` : head;
}

// visible is a text with its escapes marked.
export function visible(text) {
  if (typeof text !== 'string' || !first.test(text)) return text;
  return text.split(every).map((part, i) => (i % 2 ? h('span', { class: 'unseen', title: `U+${codeOf(part)} ${names[codeOf(part)] ?? 'control character'}` }, escaped(part)) : part));
}
