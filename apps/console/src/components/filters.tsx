import type { ComponentChildren, VNode } from 'preact';
import { useMedia } from './media.js';

interface FiltersParts {
  label?: string;
  /** Filters that are set: a phone shows their number instead of the filters. */
  count: number;
  class?: string;
  children: ComponentChildren;
}

/** The filters of a list. On a phone they are one line, which opens them. */
export function Filters({ label = 'Filters', count, class: kind = 'filters', children }: FiltersParts): VNode {
  const isWide = useMedia('(width >= 44rem)');
  return (
    <details class="filters-place" open={isWide} data-part="filters">
      <summary>{count === 0 ? 'Filters' : `Filters (${count})`}</summary>
      <div class={kind} role="search" aria-label={label}>
        {children}
      </div>
    </details>
  );
}

/** How many of the filters have a value. */
export const countOf = (filters: Readonly<Record<string, unknown>>): number =>
  Object.values(filters).filter((value) => value !== undefined && value !== '').length;
