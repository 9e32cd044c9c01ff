import { IGNORED_FIELDS_HEADER, ignoredFields, ignoredFieldText } from '@app/client';
import { fill, h } from './dom.js';
import { icon } from './icons.js';

/** Maximum number of sentences on screen; further ones repeat the same mistake. */
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

/** The notice of fields that the service ignored; it stays while pages change. */
export const ignoredNotice = (): HTMLElement => notice;

/** Shows each unknown field of a request: console and service may have different versions. */
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
