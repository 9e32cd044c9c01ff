import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Passage } from '../api/types.js';
import { splitAtWords } from '../logic/format.js';

/** Passages of a knowledge base with their sources; the words of the query are highlighted. */
export const Passages = ({ all, query }: { all: readonly Passage[]; query: string }): VNode => (
  <ol class="passages">
    {all.map((passage, index) => (
      <li key={index}>
        <OnePassage passage={passage} query={query} />
      </li>
    ))}
  </ol>
);

export function OnePassage({ passage, query }: { passage: Passage; query: string }): VNode {
  const text = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    // A long passage is scrolled to the first match.
    const found = text.current?.querySelector('mark');
    if (found && text.current) text.current.scrollTop = Math.max(0, found.offsetTop - text.current.clientHeight / 2);
  }, [passage.text, query]);
  return (
    <article class="passage">
      <header>
        <strong>{passage.title}</strong>
        <span class="muted small">{placeOf(passage)}</span>
        <span class="score small" title="Scores are comparable within one search only.">
          {passage.matched && `${MATCHED[passage.matched]} · `}
          score {passage.score.toFixed(2)}
        </span>
      </header>
      <p ref={text} tabIndex={0} role="region" aria-label={`Passage of ${passage.title}`}>
        {splitAtWords(passage.text, query).map((part, index) =>
          index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
        )}
      </p>
    </article>
  );
}

/** What of the question a passage matched. */
const MATCHED = { words: 'keyword match', meaning: 'semantic match', both: 'keyword and semantic match' } as const;

/** Omits the source of a text, which equals its title. */
function placeOf({ title, source, ...passage }: Passage): string {
  return [source === title ? undefined : source, placeInSource(passage)].filter(Boolean).join(' · ');
}

/** Page, rows and headings. */
export function placeInSource({
  page,
  rows,
  heading_path: headings,
}: Pick<Passage, 'page' | 'rows' | 'heading_path'>): string {
  const parts = [
    page === null ? undefined : `page ${page}`,
    rows && (rows.first === rows.last ? `row ${rows.first}` : `rows ${rows.first}–${rows.last}`),
    headings.join(' › '),
  ];
  return parts.filter(Boolean).join(' · ');
}
