import { type Child, h } from './dom.js';
import type { Passage } from './types.js';

/** A passage of a knowledge base with its source; the words of the query are highlighted. */
export function passageView(passage: Passage, query: string): HTMLElement {
  const text = h(
    'p',
    { tabindex: 0, role: 'region', 'aria-label': `Passage of ${passage.title}` },
    marked(passage.text, query),
  );
  requestAnimationFrame(() => showFirstMark(text));
  return h(
    'article',
    { class: 'passage' },
    h(
      'header',
      null,
      h('strong', null, passage.title),
      h('span', { class: 'muted small' }, placeOf(passage)),
      scoreOf(passage.score),
    ),
    text,
  );
}

/** Scrolls a long passage to the first match. */
function showFirstMark(text: HTMLElement): void {
  const found = text.querySelector('mark');
  if (found) text.scrollTop = Math.max(0, found.offsetTop - text.clientHeight / 2);
}

/** Omits the source of a text, which equals its title. */
function placeOf({ title, source, page, rows, heading_path: headings }: Passage): string {
  const parts = [
    source === title ? undefined : source,
    page === null ? undefined : `page ${page}`,
    rows && `rows ${rows.first}–${rows.last}`,
    headings.join(' › '),
  ];
  return parts.filter(Boolean).join(' · ');
}

function scoreOf(score: number): HTMLElement {
  const percent = Math.round(score * 100);
  return h('span', { class: 'score small', title: `Score ${score}` }, `${percent} %`);
}

/** The words of the query as marks. */
const marked = (text: string, query: string): Child[] =>
  splitAtWords(text, query).map((part, index) => (index % 2 === 1 ? h('mark', null, part) : part));

const SHORT = 3;
/** Words of this length also match longer forms (park, parking); longer forms of shorter words are other words (can, cancel). */
const LONG = 4;
const LONGEST_ENDING = 3;

/** Splits a text at the words of a query: every second part is a match. Only whole words match. */
export function splitAtWords(text: string, query: string): string[] {
  const wanted = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))].filter((word) => word.length >= SHORT);
  if (wanted.length === 0) return [text];
  const forms = wanted.map((word) => (word.length < LONG ? word : `${word}\\p{L}{0,${LONGEST_ENDING}}`));
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${forms.join('|')})(?![\\p{L}\\p{N}])`, 'giu'));
}
