import { IGNORED_FIELDS_HEADER, ignoredFields, ignoredFieldText } from '@app/client';
import { fill, h } from './dom.js';
import { icon } from './icons.js';

/** What stays on the screen; the rest is the same mistake again. */
const MOST_SENTENCES = 5;

const sentences = new Set<string>();
const list = h('ul', null);
const notice = h(
  'aside',
  { class: 'ignored', role: 'status', 'aria-label': 'Ignored fields', hidden: true },
  icon('warn'),
  list,
  h('button', { type: 'button', class: 'quiet', onclick: dismiss }, 'Dismiss'),
);

/** Where the console says what the service ignored; stays while pages change. */
export const ignoredNotice = (): HTMLElement => notice;

/** Shows each field of a request that the service did not know: this console and the service may be of different versions. */
export function reportIgnored(method: string, url: URL, headers: (name: string) => string | null): void {
  const path = url.pathname.slice(Math.max(0, url.pathname.indexOf('/api/v1/')));
  const fields = ignoredFields(headers(IGNORED_FIELDS_HEADER), method, path);
  for (const field of fields) if (sentences.size < MOST_SENTENCES) sentences.add(ignoredFieldText(field));
  if (fields.length > 0) show();
}

function show(): void {
  fill(list, ...[...sentences].map((sentence) => h('li', null, sentence)));
  notice.hidden = false;
}

function dismiss(): void {
  sentences.clear();
  notice.hidden = true;
}
