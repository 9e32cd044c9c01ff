import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

/** Whether a media query matches, also after the window has changed. */
export function useMedia(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query]);
  const matches = useSignal(media.matches);
  useEffect(() => {
    const show = (): void => void (matches.value = media.matches);
    show();
    media.addEventListener('change', show);
    return () => media.removeEventListener('change', show);
  }, [media]);
  return matches.value;
}
