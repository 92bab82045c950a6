import { useEffect, useRef, useState } from 'preact/hooks';

const STAYS = 150; // ms

// useLoaded loads something when the key changes and keeps what was shown until the new
// is there, so that nothing jumps. A key that is hasty may change often: it is loaded
// once it has stayed. It gives { value, error, loading }.
export function useLoaded(key, load, hasty = false) {
  const [state, set] = useState({ value: null, error: null, key: null });
  const wanted = useRef(key);
  wanted.current = key;
  useEffect(() => {
    if (key === null) return undefined;
    const begin = () => load().then(
      (value) => wanted.current === key && set({ value, error: null, key }),
      (error) => wanted.current === key && set({ value: null, error, key }),
    );
    if (!hasty) {
      begin();
      return undefined;
    }
    const timer = setTimeout(begin, STAYS);
    return () => clearTimeout(timer);
  }, [key]);
  return { value: key === null ? null : state.value, error: key === null ? null : state.error, loading: state.key !== key };
}
