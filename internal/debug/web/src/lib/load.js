import { useEffect, useRef, useState } from 'preact/hooks';

// useLoaded loads something when the key changes and keeps what was shown until the new
// is there, so that nothing jumps. It gives { value, error, loading }.
export function useLoaded(key, load) {
  const [state, set] = useState({ value: null, error: null, key: null });
  const wanted = useRef(key);
  wanted.current = key;
  useEffect(() => {
    if (key === null) return;
    load().then(
      (value) => wanted.current === key && set({ value, error: null, key }),
      (error) => wanted.current === key && set({ value: null, error, key }),
    );
  }, [key]);
  return { value: key === null ? null : state.value, error: key === null ? null : state.error, loading: state.key !== key };
}
