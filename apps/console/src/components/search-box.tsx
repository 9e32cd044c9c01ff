import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.js';
import { place, setQuery } from './router.js';

/** A search begins when typing stops. */
const TYPING_MS = 300;

interface SearchParts {
  /** Name in the address and in the API. */
  name: string;
  label: string;
  placeholder: string;
}

/** A text that filters the list shortly after the last key. */
export function SearchBox({ name, label, placeholder }: SearchParts): VNode {
  const searched = place.value.query.get(name) ?? '';
  const typed = useSignal(searched);
  const written = useRef(searched);
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = (text: string): void => {
    typed.value = text;
    clearTimeout(typing.current);
    typing.current = setTimeout(() => {
      written.current = text.trim();
      setQuery({ [name]: written.current, page: '' });
    }, TYPING_MS);
  };
  useEffect(() => {
    // The filters were cleared, or the address was changed by hand.
    if (searched !== written.current) typed.value = written.current = searched;
  }, [searched]);
  useEffect(() => () => clearTimeout(typing.current), []);
  return (
    <div class="search-box">
      <Icon name="search" />
      <input
        type="search"
        placeholder={placeholder}
        aria-label={label}
        value={typed.value}
        onInput={(event) => search(event.currentTarget.value)}
      />
    </div>
  );
}
