import { announce, emptyState, Trouble, waiting } from './notices.js';
import { ApiError, messageOf } from './api.js';
import { CallData, type Part } from './call-data.js';
import { CallHead } from './call-head.js';
import { costsView, detailsView, knowledgeUsed, toolCallView, transfersView } from './call-details-view.js';
import { conversationOf, type Entry } from './conversation.js';
import { ConversationView } from './conversation-view.js';
import { DeliveriesView } from './deliveries-view.js';
import { fill, h } from './dom.js';
import { words } from './format.js';
import { keyedList } from './lists.js';
import { ladderView } from './ladder-view.js';
import { Player } from './player.js';
import type { Page, Visit } from './router.js';
import { section } from './page-parts.js';
import { storyOf } from './story.js';
import { StoryView } from './story-view.js';
import { timelineOf, TimelineView } from './timeline.js';
import { isLive, type ToolCall, type WholeCall } from './types.js';

const REDRAW_MS = 1_000;

export function openCall({ params, signal }: Visit): Page {
  const trouble = new Trouble();
  const node = h(
    'div',
    { class: 'page call-page' },
    h('h1', { class: 'unseen' }, 'Call'),
    trouble.node,
    waiting('the call'),
  );
  let page: CallPage | undefined;
  const data: CallData = new CallData(
    params['id'] ?? '',
    signal,
    (parts) => {
      page ??= begin();
      page.show(parts);
    },
    (error, part) => {
      if (error === undefined) trouble.clear();
      else if (part === 'deliveries') (page ??= begin()).refuseDeliveries(error);
      else trouble.show(error);
    },
  );
  const begin = (): CallPage => {
    const begun = new CallPage(data, signal);
    const hadFocus = node.contains(document.activeElement);
    fill(node, trouble.node, begun.node);
    if (hadFocus) begun.focus();
    return begun;
  };
  data.open().catch((error: unknown) => {
    if (signal.aborted) return;
    const title = error instanceof ApiError && error.status === 404 ? 'No such call' : 'Trouble';
    fill(
      node,
      h('h1', null, title),
      h('p', { role: 'alert' }, messageOf(error)),
      h('a', { href: '#/calls' }, 'Back to the calls'),
    );
  });
  return { title: 'Call', node };
}

class CallPage {
  private readonly far: string;
  private readonly head = new CallHead(() => void (location.hash = '#/calls'));
  private readonly story: StoryView;
  private readonly player: Player;
  private readonly playerPlace = h('div', { class: 'player-place' });
  private readonly talk: ConversationView;
  private readonly timeline = new TimelineView();
  private readonly ladder = h('div', null, waiting('the signalling'));
  private readonly tools = h('ul', { class: 'stack plain' });
  private readonly showTools = keyedList<ToolCall>(this.tools, {
    keyOf: (one) => one.invocation_id,
    make: toolCallView,
    empty: () => h('li', { class: 'muted' }, 'The agent has not used any of your tools.'),
  });
  private readonly knowledge = h('div', null);
  private readonly summary = h('p', { class: 'summary-text' });
  private readonly transfers = h('div', null);
  private readonly transferSection = section('Transfers', { name: 'transfers' }, this.transfers);
  private readonly costs = h('div', null);
  private readonly costSection = section('Cost', { name: 'costs' }, this.costs);
  private readonly details = h('div', null);
  private readonly deliveries: DeliveriesView;
  private readonly deliveryTrouble = new Trouble();
  private status = '';
  private wire = '';
  private record = '';
  private searches = '';
  readonly node: HTMLElement;

  constructor(
    private readonly data: CallData,
    signal: AbortSignal,
  ) {
    this.far = data.call?.direction === 'inbound' ? 'Caller' : 'Callee';
    this.player = new Player({
      onTime: (seconds) => this.playAt(seconds),
      renew: async () => (await data.readCall()).recording_url,
    });
    const playFrom = (ms: number): void => this.player.playFrom(ms / 1_000);
    this.story = new StoryView(this.far, playFrom);
    this.talk = new ConversationView(this.far, playFrom, () => this.silence());
    this.deliveries = new DeliveriesView(signal, () => data.followDeliveries());
    this.node = h(
      'div',
      { class: 'call-parts' },
      this.head.node,
      section('At a glance', { name: 'story' }, this.summary, this.story.node, this.playerPlace),
      h(
        'div',
        { class: 'side' },
        section('Conversation', { name: 'talk' }, this.talk.node),
        section('Details', { name: 'details' }, this.details),
      ),
      h(
        'div',
        { class: 'side' },
        section('Tool calls', { name: 'tools' }, this.tools),
        section('Knowledge used', { name: 'knowledge' }, this.knowledge),
        this.transferSection,
        this.costSection,
      ),
      section('Webhook deliveries', { name: 'deliveries' }, this.deliveryTrouble.node, this.deliveries.node),
      section('SIP ladder', { name: 'ladder' }, this.ladder),
      section('Timeline', { name: 'timeline' }, this.timeline.node),
    );
    const redraw = setInterval(() => this.draw(), REDRAW_MS);
    signal.addEventListener('abort', () => {
      clearInterval(redraw);
      this.player.audio.pause();
    });
    this.showTools([]);
  }

  show(parts: ReadonlySet<Part>): void {
    const { call, watching, events } = this.data;
    if (!call) return;
    this.head.show(call, watching);
    document.title = `${words(call.status)}: ${call.to_number} · Trunkline`;
    if (this.status !== '' && this.status !== call.status)
      announce(`The call is now ${words(call.status).toLowerCase()}.`);
    this.status = call.status;
    this.showRecording();
    this.showRecord(call);
    const entries = conversationOf(events);
    if (parts.has('events') || parts.has('call')) {
      this.talk.show(entries);
      this.showKnowledge(entries, call.agent_id);
    }
    if (parts.has('tools')) this.showTools(this.data.toolCalls);
    if (parts.has('deliveries')) {
      this.deliveryTrouble.clear();
      this.deliveries.show(this.data.deliveries ?? []);
    }
    if (parts.has('wire')) this.showWire();
    this.timeline.show(timelineOf(call, events, this.data.diagnostics));
    this.draw(true);
  }

  /** Redraws only real changes: a text selection survives new links and durations. */
  private showRecord(call: WholeCall): void {
    const { recording_url: _url, duration_seconds: _seconds, duration_minutes: _minutes, ...rest } = call;
    const seen = JSON.stringify(rest);
    if (seen === this.record) return;
    this.record = seen;
    fill(this.summary, summaryOf(call));
    this.transferSection.hidden = call.transfers.length === 0;
    fill(this.transfers, transfersView(call.transfers));
    this.costSection.hidden = call.costs.length === 0;
    fill(this.costs, costsView(call));
    fill(this.details, detailsView(call));
  }

  focus(): void {
    this.head.focus();
  }

  refuseDeliveries(error: unknown): void {
    this.deliveryTrouble.show(error);
  }

  /** Redraws only changed data, so that open details stay open; likewise below. */
  private showKnowledge(entries: readonly Entry[], agentId: number): void {
    const searches = entries.filter((entry) => entry.kind === 'search');
    const seen = JSON.stringify(searches);
    if (seen === this.searches) return;
    this.searches = seen;
    fill(this.knowledge, knowledgeUsed(searches, agentId));
  }

  private showWire(): void {
    const { diagnostics } = this.data;
    const seen = JSON.stringify(diagnostics);
    if (!diagnostics || seen === this.wire) return;
    this.wire = seen;
    fill(this.ladder, ladderView(diagnostics));
  }

  private showRecording(): void {
    const { call } = this.data;
    if (call?.recording_url) {
      if (!this.playerPlace.contains(this.player.node)) fill(this.playerPlace, this.player.node);
      this.player.load(call.recording_url);
      return;
    }
    fill(this.playerPlace, h('p', { class: 'hint' }, this.noRecording()));
  }

  private noRecording(): string {
    const { call } = this.data;
    if (call?.recording_deleted_at) return 'The recording was deleted after its retention period.';
    if (call && isLive(call)) return 'The recording is available after the call.';
    return call?.answered_at === null
      ? 'The call was not answered, so there is no recording.'
      : 'There is no recording of this call.';
  }

  /** Redraws a live call continuously, an ended call only for new data. */
  private draw(always = false): void {
    const { call, events, diagnostics } = this.data;
    if (!call || (!always && !isLive(call))) return;
    this.story.show(storyOf(call, conversationOf(events), diagnostics, Date.now()));
    this.playAt(this.player.audio.currentTime);
  }

  private playAt(seconds: number): void {
    const isUsed = this.player.audio.currentTime > 0 || this.player.isPlaying;
    const ms = isUsed ? seconds * 1_000 : undefined;
    this.story.playAt(ms);
    this.talk.playAt(ms);
  }

  private silence(): Node {
    const { call } = this.data;
    const [title, why] = silenceOf(call);
    return h('li', null, emptyState('phone', title, h('p', null, why)));
  }
}

/** Title and reason for an empty conversation. */
function silenceOf(call: WholeCall | undefined): [title: string, why: string] {
  const isAnswered = call !== undefined && call.answered_at !== null;
  if (!call || isLive(call))
    return [isAnswered ? 'No speech yet' : 'Waiting for an answer', 'The transcript appears here during the call.'];
  if (call.transcript_deleted_at !== null) return ['No conversation', 'It was deleted after its retention period.'];
  const why = isAnswered ? 'The call ended before anything was said.' : 'The call was not answered.';
  return ['No conversation', why];
}

/** The service's summary of a call; empty during the call. */
function summaryOf({ summary, transcript_deleted_at: deleted }: WholeCall): string {
  if (deleted !== null) return 'Summary and transcript were deleted after their retention period.';
  return summary ?? '';
}
