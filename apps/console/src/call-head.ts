import { type ApiPath, apiPath } from './api-path.js';
import { request, messageOf } from './api.js';
import { atWork, copyButton, deleteButton } from './buttons.js';
import { backLink, facts, pill, timeOf } from './page-parts.js';
import { durationOf, remoteNumber } from './call-row.js';
import { shownStatus, CAUSES } from './call-status.js';
import { type Child, fill, h } from './dom.js';
import { dollars, words } from './format.js';
import { icon } from './icons.js';
import { type Call, isLive } from './types.js';
import type { Watching } from './call-data.js';

/** The header of a call: status, facts and actions. */
export class CallHead {
  private readonly status = h('div', { class: 'status-line' });
  private readonly facts = h('div', { class: 'facts-place' });
  private readonly actions = h('div', { class: 'actions' });
  private readonly said = h('p', { class: 'hint', role: 'status' });
  private readonly title = h('h1', { class: 'number', tabindex: -1 });
  readonly node: HTMLElement;
  private shown = '';

  constructor(private readonly onDeleted: () => void) {
    this.node = h(
      'header',
      { class: 'call-head' },
      backLink('#/calls', 'Calls'),
      h('div', { class: 'split' }, h('div', null, this.title, this.status), this.actions),
      this.said,
      this.facts,
    );
  }

  focus(): void {
    this.title.focus({ preventScroll: true });
  }

  show(call: Call, watching: Watching): void {
    fill(this.title, remoteNumber(call));
    fill(
      this.status,
      pill(shownStatus(call)),
      h('span', { class: 'muted' }, sentenceOf(call)),
      watchingMark(call, watching),
    );
    fill(this.facts, facts(factsOf(call)));
    // The buttons keep the focus while the call goes on.
    const state = `${call.call_id} ${isLive(call)} ${call.status === 'in_progress'}`;
    if (state !== this.shown) this.showButtons(call);
    this.shown = state;
  }

  private showButtons(call: Call): void {
    const hadFocus = this.actions.contains(document.activeElement);
    fill(this.actions, ...this.buttons(call));
    // The message referred to the previous buttons.
    fill(this.said);
    if (hadFocus) this.focus();
  }

  private buttons(call: Call): HTMLElement[] {
    const id = copyButton(() => call.call_id, 'the call id', 'Id');
    if (isLive(call)) {
      const label = call.status === 'in_progress' ? 'Hang up' : 'Cancel';
      const end = h('button', { type: 'button', class: 'danger', 'data-act': 'end' }, icon('hang'), label);
      end.addEventListener(
        'click',
        () => void this.act(end, 'POST', apiPath`calls/${call.call_id}/cancel`, 'The call is ending.'),
      );
      return [id, end];
    }
    const capture = h('button', { type: 'button' }, icon('download'), 'PCAP');
    capture.title = 'SIP messages for Wireshark';
    capture.addEventListener('click', () => void this.download(call));
    const remove = deleteButton('the call with its recording and transcript', () => {
      void this.act(remove, 'DELETE', apiPath`calls/${call.call_id}`, 'The call was deleted.', this.onDeleted);
    });
    return [id, capture, remove];
  }

  private async act(
    button: HTMLButtonElement,
    method: string,
    path: ApiPath,
    done: string,
    then?: () => void,
  ): Promise<void> {
    await atWork(button, async () => {
      try {
        await request(method, path);
        // The call may have ended before the response arrives.
        if (button.isConnected) fill(this.said, done);
        then?.();
      } catch (error) {
        fill(this.said, messageOf(error));
      }
    });
  }

  private async download({ call_id: id }: Call): Promise<void> {
    try {
      const response = await request('GET', apiPath`calls/${id}/diagnostics/sip.pcap`, { headers: { Accept: '*/*' } });
      const url = URL.createObjectURL(await response.blob());
      h('a', { href: url, download: `${id}.pcap` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 1_000);
    } catch (error) {
      fill(this.said, messageOf(error));
    }
  }
}

function sentenceOf({ direction, agent, from_number: from, to_number: to }: Call): string {
  return direction === 'inbound' ? `Inbound to ${to}, answered by ${agent}` : `Outbound from ${from}, agent ${agent}`;
}

function watchingMark(call: Call, watching: Watching): HTMLElement | null {
  if (!isLive(call)) return null;
  const label = watching === 'interrupted' ? 'reconnecting…' : 'live';
  return h('span', { class: `watching ${watching}` }, h('span', { class: 'live-dot' }), label);
}

function factsOf(call: Call): [string, Child][] {
  const all: [string, Child][] = [
    ['Started', call.started_at === null ? 'Queued' : timeOf(call.started_at)],
    ['Duration', durationOf(call)],
    ['Cost', call.cost === null ? '–' : dollars(call.cost)],
  ];
  if (call.ended_by !== null) all.push(['Ended by', words(call.ended_by)]);
  if (call.hangup_cause !== null) all.push(['Cause', CAUSES[call.hangup_cause]]);
  if (call.sip_code !== null) all.push(['SIP', String(call.sip_code)]);
  if (call.answered_by !== null) all.push(['Answered by', words(call.answered_by)]);
  return all;
}
