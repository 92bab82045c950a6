import { signal, effect } from '@preact/signals';

// remembered is a signal whose value outlives a reload of this tab, where the browser allows it. It is stored at
// once, or when it has stayed for some milliseconds, but always before the page is left.
export function remembered(key, fallback, delay = 0) {
  let value = fallback;
  try {
    value = JSON.parse(sessionStorage.getItem(key)) ?? fallback;
  } catch { /* storage is disabled or not accessible */ }
  const it = signal(value);
  const store = () => {
    try {
      sessionStorage.setItem(key, JSON.stringify(it.value));
    } catch { /* it is only not remembered */ }
  };
  let timer = 0;
  effect(() => {
    void it.value;
    clearTimeout(timer);
    if (delay) timer = setTimeout(store, delay);
    else store();
  });
  if (delay) addEventListener('pagehide', store);
  return it;
}
