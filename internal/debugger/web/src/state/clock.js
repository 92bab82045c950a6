// The time, for what is shown while it runs.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const TICK = 200; // ms
const now = signal(Date.now());
let users = 0;
let timer = 0;

// useNow gives the time in milliseconds and draws again while it passes; a component that does not
// run gets a time that stands still.
export function useNow(runs = true) {
  useEffect(() => {
    if (!runs) return undefined;
    if (users++ === 0) timer = setInterval(() => { now.value = Date.now(); }, TICK);
    return () => {
      if (--users === 0) clearInterval(timer);
    };
  }, [runs]);
  return runs ? Math.max(now.value, Date.now() - TICK) : now.peek();
}
