import { fill, h, styled } from './dom.js';
import { clock } from './format.js';
import { type Lane, type Segment, type Story, ticksOf } from './story.js';

const MOST_TICKS = 8;

/**
 * The call as a chart. It is hidden from screen readers, because transcript and timeline contain the same as text. A click plays the
 * recording from that time.
 */
export class StoryView {
  private readonly lanes = h('div', { class: 'lanes' });
  private readonly head = h('div', { class: 'playhead' });
  readonly node: HTMLElement;
  private story: Story | undefined;

  constructor(
    private readonly farName: string,
    onSeek: (sinceAnswerMs: number) => void,
  ) {
    this.node = h('div', { class: 'story', 'aria-hidden': 'true' }, this.lanes, this.head);
    this.lanes.addEventListener('click', (event) => this.seek(event, onSeek));
  }

  show(story: Story): void {
    this.story = story;
    const names: [Lane, string][] = [
      ['line', 'Line'],
      ['far', this.farName],
      ['agent', 'Agent'],
      ['acts', 'Actions'],
    ];
    fill(
      this.lanes,
      names.map(([lane, name]) => this.lane(lane, name, story)),
      h(
        'div',
        { class: 'lane axis' },
        h('span', { class: 'lane-name' }),
        h(
          'div',
          { class: 'track' },
          ticksOf(story.lengthMs, MOST_TICKS).map((ms) =>
            styled(h('span', { class: 'tick' }, clock(ms / 1_000)), { left: percent(ms, story) }),
          ),
        ),
      ),
    );
  }

  /** undefined: playback is stopped. */
  playAt(sinceAnswerMs: number | undefined): void {
    const { story } = this;
    const shown = sinceAnswerMs !== undefined && story?.answerMs !== undefined;
    this.head.hidden = !shown;
    if (shown)
      styled(this.head, { '--at': String(Math.min(1, ((story.answerMs ?? 0) + sinceAnswerMs) / story.lengthMs)) });
  }

  private lane(lane: Lane, name: string, story: Story): HTMLElement {
    const own = story.segments.filter((one) => one.lane === lane);
    return h(
      'div',
      { class: `lane lane-${lane}` },
      h('span', { class: 'lane-name' }, name),
      h(
        'div',
        { class: 'track' },
        own.map((segment) => bar(segment, story)),
      ),
    );
  }

  private seek(event: MouseEvent, onSeek: (ms: number) => void): void {
    const track = this.lanes.querySelector('.track')?.getBoundingClientRect();
    if (!track || this.story?.answerMs === undefined) return;
    const atMs = ((event.clientX - track.left) / track.width) * this.story.lengthMs;
    onSeek(Math.max(0, atMs - this.story.answerMs));
  }
}

const percent = (ms: number, { lengthMs }: Story): string => `${Math.min(100, (ms / lengthMs) * 100).toFixed(3)}%`;

function bar({ kind, fromMs, toMs, label }: Segment, story: Story): HTMLElement {
  const isPoint = toMs - fromMs < story.lengthMs / 200;
  const element = h('span', { class: `bar-of ${kind}${isPoint ? ' point' : ''}`, title: label });
  return styled(element, { left: percent(fromMs, story), ...(!isPoint && { width: percent(toMs - fromMs, story) }) });
}
