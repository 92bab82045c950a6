// Numbers and times as people read them.
export function duration(ms) {
  if (ms === null || ms === undefined) return '';
  if (ms < 0.001) return '< 1 µs';
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  const s = Math.round(ms / 1000);
  return `${Math.floor(s / 60)} min ${s % 60} s`;
}

// elapsed is a time that passes: it has as many digits as change visibly.
export function elapsed(ms) {
  const s = Math.max(0, ms) / 1000;
  if (s < 60) return `${s.toFixed(1)} s`;
  const whole = Math.floor(s);
  return whole < 3600 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function bytes(n) {
  if (n < 1000) return `${n} B`;
  if (n < 1e6) return `${(n / 1e3).toFixed(1)} kB`;
  return `${(n / 1e6).toFixed(1)} MB`;
}

export const count = (n) => n.toLocaleString('en');
const many = (noun) => `${noun}${/(ch|s|x)$/.test(noun) ? 'es' : 's'}`;
export const plural = (n, noun) => `${count(n)} ${n === 1 ? noun : many(noun)}`;
// counted is a progress, 3 or 2/3, with what it counts.
export const counted = (progress, noun) => `${progress} ${/(^|\/)1$/.test(progress) ? noun : many(noun)}`;

// percent is a share as people read it.
export const percent = (share) => (share > 0 && share < 0.01 ? '< 1 %' : `${Math.round(share * 100)} %`);

export function clock(iso) {
  const at = new Date(iso);
  const time = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  return at.toDateString() === new Date().toDateString() ? time : `${at.toLocaleDateString()} ${time}`;
}

// truncate shortens a label; the whole text is its title.
export const truncate = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// unitsOf is the place in a text of a byte of its UTF-8, counted as the browser counts characters.
export const unitsOf = (text, bytes) => new TextDecoder().decode(new TextEncoder().encode(text).slice(0, bytes)).length;
