import { signal, effect } from '@preact/signals';

// remembered is a signal whose value outlives a reload of this tab, where the browser
// allows it.
export function remembered(key, fallback) {
  let value = fallback;
  try {
    value = JSON.parse(sessionStorage.getItem(key)) ?? fallback;
  } catch { /* storage is disabled or not accessible */ }
  const it = signal(value);
  effect(() => {
    const text = JSON.stringify(it.value);
    try {
      sessionStorage.setItem(key, text);
    } catch { /* it is only not remembered */ }
  });
  return it;
}
