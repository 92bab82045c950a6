import { useState } from 'preact/hooks';

const texts = new Map(); // key → what was typed

// useKept is useState for what is typed into a dialog: closed without being saved, it is there again when the
// dialog of the same key is opened, until drop is called. It gives [text, set, drop, whether it was kept].
export function useKept(key, start) {
  const [kept] = useState(texts.has(key));
  const [text, setText] = useState(texts.get(key) ?? start);
  const set = (typed) => setText((now) => {
    const next = typeof typed === 'function' ? typed(now) : typed;
    texts.set(key, next);
    return next;
  });
  const drop = (now) => {
    texts.delete(key);
    if (now !== undefined) setText(now);
  };
  return [text, set, drop, kept];
}
