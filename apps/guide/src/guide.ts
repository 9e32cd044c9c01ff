import MiniSearch from 'minisearch';

/** A section of a page, as search.json lists it. */
type Section = [address: string, page: string, heading: string, text: string];

const MAX_RESULTS = 20;
/** With fewer sections that have all words, those that have some of them follow. */
const FEW_RESULTS = 5;
const STOP_WORDS = new Set(
  'a an and are can do for how i if in is it me my of on or the to we what when which with you'.split(' '),
);
const root = document.documentElement.dataset.root ?? './';

const need = (selector: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
};

openMenuByButton();
openSearch();
addCopyButtons();

function openMenuByButton(): void {
  const button = need('.menu-button');
  const { classList } = document.documentElement;
  classList.add('scripted');
  button.hidden = false;
  button.addEventListener('click', () => {
    const isOpen = classList.toggle('menu-open');
    button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) need('#menu summary').focus();
  });
}

type Find = (words: string) => { section: Section; terms: string[] }[];

/** The sections are loaded, and their words are indexed, when the reader first enters the search. */
let loading: Promise<Find> | undefined;

const index = (): Promise<Find> => (loading ??= load());

async function load(): Promise<Find> {
  const response = await fetch(`${root}search.json`);
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  const sections = (await response.json()) as Section[];
  const search = new MiniSearch({
    fields: ['page', 'heading', 'text'],
    processTerm: (term) => (STOP_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase()),
    searchOptions: {
      boost: { page: 2, heading: 4 },
      // Reasons and lists of keys come after instructions.
      boostDocument: (id) => (/^(?:decisions\/|workspace-reference)/.test(sections[Number(id)]?.[0] ?? '') ? 0.3 : 1),
      prefix: (term) => term.length > 1,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  search.addAll(sections.map(([, page, heading, text], id) => ({ id, page, heading, text })));
  return (words) => {
    const all = search.search(words, { combineWith: 'AND' });
    const ids = new Set(all.map(({ id }) => Number(id)));
    const some = all.length < FEW_RESULTS ? search.search(words).filter(({ id }) => !ids.has(Number(id))) : [];
    return [...all, ...some].slice(0, MAX_RESULTS).map(({ id, terms }) => ({ section: sections[Number(id)]!, terms }));
  };
}

function openSearch(): void {
  const input = need('.search input') as HTMLInputElement;
  const panel = need('.results');
  const status = need('.results [role=status]');
  const list = need('.results ul');
  need('.search').hidden = false;

  const show = async (): Promise<void> => {
    const words = input.value.trim();
    panel.hidden = words === '';
    if (words === '') return;
    try {
      const find = await index();
      // A later search may have been faster.
      if (input.value.trim() !== words) return;
      const found = find(words);
      status.textContent =
        found.length === 0
          ? `Nothing about "${words}"`
          : `${found.length} ${found.length === 1 ? 'result' : 'results'}`;
      list.replaceChildren(...found.map(resultOf));
    } catch {
      // The next key tries again.
      loading = undefined;
      status.textContent = 'The search could not be loaded.';
      list.replaceChildren();
    }
  };

  const close = (): void => {
    panel.hidden = true;
  };

  input.addEventListener('focus', () => void index().catch(() => (loading = undefined)), { once: true });
  input.addEventListener('input', () => void show());
  input.addEventListener('focus', () => void show());
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element && target.closest('.search'))) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !isTyping(event.target)) {
      event.preventDefault();
      input.select();
    }
  });
  need('.search').addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.findIndex((link) => link === document.activeElement);
    if (event.key === 'Escape') {
      close();
      input.focus();
    } else if (event.key === 'Enter' && document.activeElement === input) links[0]?.click();
    else if (event.key === 'ArrowDown') (links[at + 1] ?? links[0])?.focus();
    else if (event.key === 'ArrowUp') (at > 0 ? links[at - 1] : input)?.focus();
    else return;
    event.preventDefault();
  });
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function resultOf({ section: [address, page, heading, text], terms }: { section: Section; terms: string[] }): Element {
  const link = document.createElement('a');
  link.href = `${root}${address}`;
  const title = document.createElement('strong');
  title.append(...marked(heading === page ? page : `${page} › ${heading}`, terms));
  const excerpt = document.createElement('span');
  excerpt.append(...marked(around(text, terms), terms));
  link.append(title, excerpt);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

const escaped = (term: string): string => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The part of a text around the first of these words. */
function around(text: string, terms: string[]): string {
  const at = text.search(new RegExp(terms.map(escaped).join('|'), 'i'));
  const from = Math.max(0, at - 60);
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  if (start + 160 >= text.length) return `${start > 0 ? '… ' : ''}${text.slice(start)}`;
  return `${start > 0 ? '… ' : ''}${text.slice(start, text.lastIndexOf(' ', start + 160))} …`;
}

function marked(text: string, terms: string[]): (string | Node)[] {
  if (terms.length === 0) return [text];
  return text.split(new RegExp(`(${terms.map(escaped).join('|')})`, 'gi')).map((part, index) => {
    if (index % 2 === 0) return part;
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}

/** Browsers have a clipboard over HTTPS and on localhost only. */
function addCopyButtons(): void {
  if (!('clipboard' in navigator)) return;
  for (const block of document.querySelectorAll('figure.block')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '').then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'Not copied'),
      );
    });
    block.append(button);
  }
}
