// What runs have used, as people read it.
import { bytes, plural } from './format.js';

export const usage = (u) => `${plural(u.calls, 'call')} · ${bytes(u.bytesIn)} in · ${bytes(u.bytesOut)} out`;
export const saved = (tokens) => `≈ ${plural(tokens, 'token')} saved`;
export const savedTitle = 'an estimate: a quarter of bytes in less bytes out';

// gapless adds the days without runs, so that a chart has one place for each; it gives the last of them.
export function gapless(groups, most) {
  if (!groups.length) return [];
  const known = new Map(groups.map((g) => [g.name, g]));
  const days = [];
  for (let at = dayOf(groups.at(-1).name); days.length < most && nameOf(at) >= groups[0].name; at.setUTCDate(at.getUTCDate() - 1)) {
    const name = nameOf(at);
    days.unshift(known.get(name) ?? { name, runs: 0, tokensSaved: 0 });
  }
  return days;
}
const dayOf = (name) => new Date(`${name}T00:00:00Z`);
const nameOf = (at) => at.toISOString().slice(0, 10);
