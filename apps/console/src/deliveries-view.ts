import { announce, emptyState } from './notices.js';
import { apiPath } from './api-path.js';
import { ask, messageOf } from './api.js';
import { atWork } from './buttons.js';
import { fill, h } from './dom.js';
import { plural, span, words } from './format.js';
import { icon } from './icons.js';
import { keyedList } from './lists.js';
import { pill, timeOf } from './page-parts.js';
import type { Delivery, FoundDelivery } from './types.js';

/** The webhooks of a call with their state. `onReplayed` is called when the list must be reloaded. */
export class DeliveriesView {
  private readonly list = h('ul', { class: 'deliveries' });
  readonly node: HTMLElement = this.list;
  private readonly update = keyedList<Delivery>(this.list, {
    keyOf: (one) => one.id,
    make: (one) => this.item(one),
    empty: () => h('li', null, noDeliveries()),
  });
  /** Ids of the expanded deliveries: a changed delivery is drawn again. */
  private readonly open = new Set<string>();

  constructor(
    private readonly signal: AbortSignal,
    private readonly onReplayed: () => void,
  ) {}

  show(deliveries: readonly Delivery[]): void {
    this.update(deliveries);
  }

  private item(one: Delivery): HTMLElement {
    const said = h('p', { class: 'hint', role: 'status' });
    const replay = h(
      'button',
      { type: 'button', 'data-focus': 'replay', 'data-replay': one.id },
      icon('replay'),
      'Replay',
    );
    replay.setAttribute('aria-label', `Replay ${nameOf(one)}`);
    replay.addEventListener('click', () => void this.replay(one, replay, said));
    return h(
      'li',
      { class: 'delivery', 'data-delivery': one.id },
      h('strong', null, nameOf(one)),
      h('code', { class: 'small target' }, `${one.method} ${one.url}`),
      h('span', { class: 'muted small' }, ...factsOf(one)),
      pill(one.state),
      replay,
      said,
      this.attempts(one),
    );
  }

  private attempts(one: Delivery): HTMLElement {
    const body = h('div', null);
    const details = h(
      'details',
      { open: this.open.has(one.id) },
      h('summary', { 'data-focus': 'attempts' }, plural(one.attempt_count, 'try', 'tries')),
      body,
    );
    details.addEventListener('toggle', () => {
      if (details.open) this.open.add(one.id);
      else this.open.delete(one.id);
      if (!details.open) return;
      this.load(one.id)
        .then((found) => fill(body, attemptsOf(found)))
        .catch((error: unknown) => fill(body, h('p', { class: 'field-error' }, messageOf(error))));
    });
    return details;
  }

  private async load(id: string): Promise<FoundDelivery> {
    return (await ask<{ data: FoundDelivery }>('GET', apiPath`webhook-deliveries/${id}`, { signal: this.signal })).data;
  }

  private async replay(one: Delivery, button: HTMLButtonElement, said: HTMLElement): Promise<void> {
    await atWork(button, async () => {
      try {
        await ask('POST', apiPath`webhook-deliveries/${one.id}/replay`, { signal: this.signal });
        announce(`${nameOf(one)} will be sent again.`);
        this.onReplayed();
      } catch (error) {
        fill(said, messageOf(error));
      }
    });
  }
}

function nameOf({ type, event }: Pick<Delivery, 'type' | 'event'>): string {
  return type === 'call-status' ? `Status: ${words(event).toLowerCase()}` : words(type);
}

function factsOf({
  last_status: status,
  last_error: error,
  delivered_at: delivered,
  next_attempt_at: next,
  created_at: created,
  replayed_at: replayed,
}: Delivery): (Node | string)[] {
  const outcome = error ?? (status === null ? 'not sent yet' : `status ${status}`);
  const when = delivered ?? next ?? created;
  const what = delivered !== null ? '' : next !== null ? 'next try ' : '';
  return [`${outcome} · ${what}`, timeOf(when), replayed === null ? '' : ' · replayed'];
}

function attemptsOf({ attempts, body }: FoundDelivery): HTMLElement {
  return h(
    'div',
    { class: 'attempts' },
    h(
      'ol',
      null,
      attempts.map(({ at, status, latency_ms: latency, error, answer }) =>
        h(
          'li',
          null,
          timeOf(at),
          ` ${status ?? 'no answer'} in ${span(latency)}`,
          error === null ? null : h('span', { class: 'bad-text' }, ` ${error}`),
          answer ? h('code', { class: 'small' }, answer) : null,
        ),
      ),
    ),
    h(
      'details',
      null,
      h('summary', null, 'Request body'),
      h('pre', { tabindex: 0, role: 'region', 'aria-label': 'Body' }, h('code', null, pretty(body))),
    ),
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // A body that is not JSON is shown as sent.
    return body;
  }
}

const noDeliveries = (): HTMLElement =>
  emptyState(
    'out',
    'No webhooks',
    h(
      'p',
      null,
      'Neither the agent nor the call has a webhook. Set one when you create a call: ',
      h('code', null, 'call_status_webhook_url'),
      ', ',
      h('code', null, 'post_call_webhook_url'),
      '.',
    ),
  );
