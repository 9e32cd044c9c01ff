import { signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { isAbort } from '../../api/client.js';
import { type Diagnostics, isLive, type WholeCall } from '../../api/types.js';
import { Choice } from '../../components/forms.js';
import { Icon } from '../../components/icons.js';
import { now } from '../../components/parts.js';
import type { Entry } from '../../logic/conversation.js';
import { clock } from '../../logic/format.js';
import { answerOf, type Lane, type Segment, type Story, storyOf, ticksOf } from '../../logic/story.js';

/** The recording that plays: the chart and the conversation show its position, and start it. */
export class Playback {
  /** Milliseconds since the answer; undefined while the recording has not been played. */
  readonly ms = signal<number | undefined>(undefined);
  readonly trouble = signal('');
  audio: HTMLAudioElement | null = null;

  playFrom(ms: number): void {
    if (!this.audio) return;
    this.audio.currentTime = ms / 1_000;
    this.play();
  }

  play(): void {
    this.audio?.play().catch((error: unknown) => {
      // Paused before playback began.
      if (!isAbort(error)) this.trouble.value = 'This browser cannot play the recording.';
    });
  }

  toggle(): void {
    if (this.audio?.paused === false && !this.audio.ended) this.audio.pause();
    else this.play();
  }
}

const MAX_TICKS = 8;

interface ChartParts {
  call: WholeCall;
  entries: readonly Entry[];
  diagnostics: Diagnostics | undefined;
  /** The name of the other party. */
  far: string;
  playback: Playback;
}

/**
 * The call as a chart. It is hidden from screen readers, because transcript and timeline contain the same as text. A click plays the
 * recording from that time.
 */
export function StoryChart({ call, entries, diagnostics, far, playback }: ChartParts): VNode {
  const lanes = useRef<HTMLDivElement>(null);
  // An ended call is drawn once.
  const story = storyOf(call, entries, diagnostics, isLive(call) ? now.value : 0);
  const names: [Lane, string][] = [
    ['line', 'Line'],
    ['far', far],
    ['agent', 'Agent'],
    ['acts', 'Actions'],
  ];
  const seek = ({ clientX }: MouseEvent): void => {
    const track = lanes.current?.querySelector('.track')?.getBoundingClientRect();
    if (!track || story.answerMs === undefined) return;
    playback.playFrom(Math.max(0, ((clientX - track.left) / track.width) * story.lengthMs - story.answerMs));
  };
  return (
    <div class="story" aria-hidden="true">
      <div ref={lanes} class="lanes" onClick={seek}>
        {names.map(([lane, name]) => (
          <div key={lane} class={`lane lane-${lane}`}>
            <span class="lane-name">{name}</span>
            <div class="track">
              {story.segments
                .filter((one) => one.lane === lane)
                .map((segment, index) => (
                  <Bar key={index} segment={segment} story={story} />
                ))}
            </div>
          </div>
        ))}
        <div class="lane axis">
          <span class="lane-name" />
          <div class="track">
            {ticksOf(story.lengthMs, MAX_TICKS).map((ms) => (
              <span key={ms} class="tick" style={{ left: percent(ms, story) }}>
                {clock(ms / 1_000)}
              </span>
            ))}
          </div>
        </div>
      </div>
      <Playhead story={story} playback={playback} />
    </div>
  );
}

function Playhead({ story, playback: { ms } }: { story: Story; playback: Playback }): VNode | null {
  if (ms.value === undefined || story.answerMs === undefined) return null;
  const at = Math.min(1, (story.answerMs + ms.value) / story.lengthMs);
  return <div class="playhead" style={{ '--at': String(at) }} />;
}

const percent = (ms: number, { lengthMs }: Story): string => `${Math.min(100, (ms / lengthMs) * 100).toFixed(3)}%`;

function Bar({ segment: { kind, fromMs, toMs, label }, story }: { segment: Segment; story: Story }): VNode {
  const isPoint = toMs - fromMs < story.lengthMs / 200;
  const style = { left: percent(fromMs, story), ...(!isPoint && { width: percent(toMs - fromMs, story) }) };
  return <span class={`bar-of ${kind}${isPoint ? ' point' : ''}`} title={label} style={style} />;
}

const NoRecording = ({ call }: { call: WholeCall }): VNode => (
  <div class="player-place">
    <p class="hint">{noRecording(call)}</p>
  </div>
);

/** Why there is no recording to play. */
function noRecording(call: WholeCall): string {
  if (call.recording_deleted_at) return 'The recording was deleted after its retention period.';
  if (isLive(call)) return 'The recording is available after the call.';
  return call.answered_at === null
    ? 'The call was not answered, so there is no recording.'
    : 'There is no recording of this call.';
}

const SPEEDS = [1, 1.25, 1.5, 2];

interface PlayerParts {
  call: WholeCall;
  playback: Playback;
  /** Returns a call with a fresh link; links expire after an hour. */
  renew: () => Promise<WholeCall>;
}

/** Plays the recording: the user is on the left channel, the agent on the right. Its clock is that of the call. */
export function Player({ call, playback, renew }: PlayerParts): VNode {
  const source = useRef('');
  const state = useSignal({ seconds: 0, length: 0, isPlaying: false });
  const isRenewed = useRef(false);
  if (!call.recording_url) return <NoRecording call={call} />;
  // A newer link to the same recording does not interrupt it.
  const path = pathOf(call.recording_url);
  if (source.current.split('?')[0] !== path.split('?')[0]) source.current = path;
  const show = ({ currentTarget: audio }: { currentTarget: HTMLAudioElement }): void => {
    const isPlaying = !audio.paused && !audio.ended;
    const seconds = audio.currentTime;
    state.value = { seconds, length: Number.isFinite(audio.duration) ? audio.duration : 0, isPlaying };
    playback.ms.value = seconds > 0 || isPlaying ? seconds * 1_000 : undefined;
  };
  const repair = async (): Promise<void> => {
    const fresh = isRenewed.current ? undefined : await renew().catch(() => undefined);
    isRenewed.current = true;
    if (!fresh?.recording_url) playback.trouble.value = 'The recording could not be loaded.';
    else if (playback.audio) playback.audio.src = source.current = pathOf(fresh.recording_url);
  };
  const events = { onTimeUpdate: show, onLoadedMetadata: show, onPlay: show, onPause: show, onEnded: show };
  return (
    <div class="player-place">
      <div class="player" role="group" aria-label="Recording">
        <PlayerControls {...state.value} startMs={answerOf(call) ?? 0} playback={playback} />
        <a class="quiet button" download="" href={source.current}>
          <Icon name="download" />
          <span>WAV</span>
        </a>
        <audio
          ref={(audio) => void (playback.audio = audio)}
          preload="metadata"
          data-role="recording"
          src={source.current}
          {...events}
          onSeeked={show}
          onError={() => void repair()}
        />
        <p class="hint" role="status">
          {playback.trouble}
        </p>
      </div>
    </div>
  );
}

interface ControlsParts {
  seconds: number;
  length: number;
  isPlaying: boolean;
  /** Time of the call at which the recording begins. */
  startMs: number;
  playback: Playback;
}

function PlayerControls({ seconds, length, isPlaying, startMs, playback }: ControlsParts): VNode {
  const at = (second: number): string => clock(second + startMs / 1_000);
  return (
    <>
      <button
        type="button"
        class="primary round"
        aria-label={isPlaying ? 'Pause' : 'Play'}
        onClick={() => playback.toggle()}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <input
        type="range"
        min={0}
        max={length}
        step={0.1}
        value={seconds}
        aria-label="Position in the recording"
        aria-valuetext={`${at(seconds)} of ${at(length)}`}
        onInput={(event) => playback.audio && (playback.audio.currentTime = Number(event.currentTarget.value))}
      />
      <span class="clock" title="Time since the start of the call">{`${at(seconds)} / ${at(length)}`}</span>
      <Choice
        aria-label="Speed"
        options={SPEEDS.map((one) => [one, `${one}×`])}
        onChange={(speed) => playback.audio && (playback.audio.playbackRate = Number(speed))}
      />
    </>
  );
}

/** The recording at the origin of this page, whatever host the service puts into its links. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `../${pathname.slice(pathname.indexOf('api/v1/'))}${search}`;
}
