import type { Entry } from './conversation.js';
import { h } from './dom.js';
import { clock, plural, span, wordless, words } from './format.js';
import { icon } from './icons.js';
import { keyedList } from './lists.js';
import { jsonBlock } from './page-parts.js';
import { passageView } from './passage-view.js';

/** The transcript as a conversation, with tool calls, searches and notes between the turns. */
export class ConversationView {
  private readonly list = h('ol', { class: 'talk' });
  readonly node = h('div', { class: 'talk-place', role: 'log', 'aria-label': 'Transcript', tabindex: 0 }, this.list);
  private readonly update: (entries: readonly Entry[]) => void;
  private entries: readonly Entry[] = [];

  constructor(
    private readonly farName: string,
    private readonly onPlay: (ms: number) => void,
    empty: () => Node,
  ) {
    this.update = keyedList<Entry>(this.list, {
      keyOf: (entry) => entry.key,
      make: (entry) => this.item(entry),
      empty,
    });
  }

  show(entries: readonly Entry[]): void {
    const { scrollTop, scrollHeight, clientHeight } = this.node;
    const atEnd = scrollHeight - scrollTop - clientHeight < 40;
    this.entries = entries;
    this.update(entries);
    // The view keeps its place when the user has scrolled up.
    if (atEnd && entries.some(({ kind }) => kind === 'speaking')) this.node.scrollTop = this.node.scrollHeight;
  }

  /** Highlights the turn that is playing. */
  playAt(ms: number | undefined): void {
    const now = this.entries.findLast(({ kind, atMs }) => kind === 'turn' && ms !== undefined && atMs <= ms + 50);
    for (const item of this.list.querySelectorAll('[data-key]'))
      item.classList.toggle('playing', now !== undefined && item.getAttribute('data-key') === now.key);
  }

  private item(entry: Entry): HTMLElement {
    const side = 'role' in entry ? entry.role : 'between';
    return h('li', { class: `entry ${entry.kind} ${side}`, 'data-key': entry.key }, this.contents(entry));
  }

  private contents(entry: Entry): (Node | null)[] {
    switch (entry.kind) {
      case 'turn':
      case 'speaking':
        return this.turn(entry);
      case 'tool':
        return [toolEntry(entry)];
      case 'search':
        return [searchEntry(entry)];
      case 'keys':
        return [
          line(
            'keys',
            `${entry.sent ? 'The agent pressed' : `${this.farName} pressed`} `,
            h('kbd', null, entry.digits),
          ),
        ];
    }
    return [line(entry.isBad ? 'warn' : 'info', entry.text)];
  }

  private turn(entry: Extract<Entry, { kind: 'turn' | 'speaking' }>): (Node | null)[] {
    const name = entry.role === 'agent' ? 'Agent' : this.farName;
    const at = clock(entry.atMs / 1_000);
    const play = h(
      'button',
      {
        type: 'button',
        class: 'at',
        'data-focus': entry.key,
        'aria-label': `Play from ${at}`,
        onclick: () => this.onPlay(entry.atMs),
      },
      at,
    );
    const head = h('div', { class: 'entry-head' }, h('strong', null, name), play);
    if (entry.kind === 'speaking')
      return [head, h('p', { class: 'bubble now' }, dots(), h('span', { class: 'unseen' }, 'is speaking'))];
    const length = wordless(entry.text);
    return [
      head,
      length === undefined
        ? h(
            'p',
            { class: 'bubble' },
            entry.text,
            entry.cutBy !== undefined && h('span', { 'aria-hidden': 'true' }, ' —'),
          )
        : h('p', { class: 'bubble wordless' }, `spoke for ${length} (no transcription)`),
      entry.cutBy === undefined
        ? null
        : h('p', { class: 'cut' }, icon('hang'), `Interrupted by ${cutWords(entry.cutBy)}`),
    ];
  }
}

const cutWords = (by: string): string =>
  ({ dtmf: 'a key', machine: 'an answering machine', provider: 'the provider' })[by] ?? by;

const dots = (): HTMLElement => h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i'));

const line = (name: Parameters<typeof icon>[0], ...children: (string | Node)[]): HTMLElement =>
  h('p', { class: 'between-line' }, icon(name), h('span', null, ...children));

function toolEntry({ name, given, result, ok, tookMs }: Extract<Entry, { kind: 'tool' }>): HTMLElement {
  return h(
    'details',
    { class: `act${ok ? '' : ' bad'}` },
    h(
      'summary',
      null,
      icon('tool'),
      h('span', null, `${words(name)}${ok ? '' : ' failed'}`),
      h('span', { class: 'muted small' }, span(tookMs)),
    ),
    jsonBlock('Arguments', given),
    jsonBlock('Result', result),
  );
}

function searchEntry({ query, passages, ok, tookMs }: Extract<Entry, { kind: 'search' }>): HTMLElement {
  const found = ok ? plural(passages.length, 'passage') : 'failed';
  return h(
    'details',
    { class: `act${ok ? '' : ' bad'}` },
    h(
      'summary',
      null,
      icon('search'),
      h('span', null, `Searched for “${query}”: ${found}`),
      h('span', { class: 'muted small' }, span(tookMs)),
    ),
    h(
      'ol',
      { class: 'passages' },
      passages.map((passage) => h('li', null, passageView(passage, query))),
    ),
  );
}
