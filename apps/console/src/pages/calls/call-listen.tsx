import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Listening, type ListeningState } from '../../api/listening.js';
import { refusalOf } from '../../api/me.js';
import type { WholeCall } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import { Level } from '../../components/live-audio.js';
import { Card, Trouble, useAct, useKeptFocus } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { place, setQuery } from '../../components/router.js';
import type { Entry } from '../../logic/conversation.js';
import { listSentence } from '../../logic/listeners.js';
import { speakerName } from '../../logic/speakers.js';

interface ListenParts {
  call: WholeCall;
  entries: readonly Entry[];
  /** Name of the user's side. */
  far: string;
  /** Names of those who listen, by the events of the call. */
  listeners: readonly string[];
}

/** Hears a live call, and speaks in it instead of the agent. */
export function ListenCard({ call, entries, far, listeners }: ListenParts): VNode {
  const listening = useMemo(() => new Listening(call.call_id), [call.call_id]);
  useEffect(() => () => listening.stop(), [listening]);
  useEffect(() => {
    if (!place.value.query.has('listen')) return;
    setQuery({ listen: '' });
    // Browsers play sound only after the person has done something in the page.
    if (refusalOf('calls:listen') === undefined && navigator.userActivation.hasBeenActive) void listening.start();
  }, [listening]);
  const here = useRef<HTMLDivElement>(null);
  useKeptFocus(here, (card) => card.querySelector<HTMLElement>('button'));
  const { value: state } = listening.state;
  return (
    <Card title="Listen" name="listen" aside={<span class="muted small">{whoListens(state, listeners)}</span>}>
      <div ref={here} class="stack" data-state={state.name}>
        {state.name === 'live' ? (
          <Hearing state={state} listening={listening} far={far} entries={entries} />
        ) : (
          <Start listening={listening} state={state} isAnswered={call.answered_at !== null} />
        )}
      </div>
    </Card>
  );
}

function whoListens(state: ListeningState, listeners: readonly string[]): string {
  const names = state.name === 'live' ? state.listeners : listeners;
  return names.length === 0 ? 'Nobody is listening' : `Listening: ${listSentence(names)}`;
}

interface StartParts {
  listening: Listening;
  state: ListeningState;
  isAnswered: boolean;
}

function Start({ listening, state, isAnswered }: StartParts): VNode {
  const isBusy = state.name === 'connecting';
  return (
    <>
      <p class="hint">
        {isAnswered
          ? 'Hear both sides as they speak. With the permission to steer calls you can also speak instead of the agent.'
          : 'You hear the call as soon as it is answered.'}
      </p>
      {state.name === 'over' && state.isBad ? (
        <Trouble error={new Error(state.sentence)} />
      ) : (
        <p class="hint" role="status">
          {state.name === 'over' ? state.sentence : isBusy ? 'Connecting…' : ''}
        </p>
      )}
      <div class="actions">
        <ActButton
          scope="calls:listen"
          class="primary"
          data-act="listen"
          isBusy={isBusy || !isAnswered}
          onClick={() => isAnswered && void listening.start()}
        >
          <Icon name="listen" />
          Listen
        </ActButton>
      </div>
    </>
  );
}

interface HearingParts {
  state: Extract<ListeningState, { name: 'live' }>;
  listening: Listening;
  far: string;
  entries: readonly Entry[];
}

function Hearing({ state, listening, far, entries }: HearingParts): VNode {
  const { run, isBusy, said } = useAct();
  const { mode, speaker, canWhisper, maySpeak } = state;
  const other = speaker !== null && mode !== 'speaking' ? speaker : undefined;
  const refusal =
    refusalOf('calls:write') ?? (maySpeak ? undefined : 'You may listen to this call, but not speak in it.');
  return (
    <>
      <div class="levels">
        <Level label={far} role="user" level={() => listening.levels().user} />
        <Level
          label={other ?? (mode === 'speaking' ? 'You' : 'Agent')}
          role={speaker === null ? 'agent' : 'supervisor'}
          level={() => (mode === 'speaking' ? listening.levels().microphone : listening.levels().agent)}
        />
        {mode === 'whispering' && <Level label="You" role="supervisor" level={() => listening.levels().microphone} />}
      </div>
      <p role="status" data-role="who-speaks">
        {sentenceOf(state, far.toLowerCase(), other)}
      </p>
      <Latest entries={entries} far={far} />
      <div class="actions">
        <button type="button" data-act="stop-listening" onClick={() => listening.stop()}>
          Stop listening
        </button>
        {mode === 'speaking' ? (
          <button type="button" class="primary" data-act="hand-back" onClick={() => listening.handBack()}>
            Hand back to the agent
          </button>
        ) : (
          <SpeakButton
            act="take-over"
            label="Take over"
            refusal={refusal ?? (other === undefined ? undefined : `${other} speaks now.`)}
            isBusy={isBusy}
            onPress={() => run(() => listening.takeOver())}
          />
        )}
        {mode === 'whispering' ? (
          <button type="button" class="primary" data-act="end-whisper" onClick={() => listening.endWhisper()}>
            Stop whispering
          </button>
        ) : (
          mode !== 'speaking' && (
            <SpeakButton
              act="whisper"
              label="Whisper"
              refusal={
                refusal ??
                (canWhisper ? undefined : 'Only a colleague hears a whisper, and no colleague is on the line now.')
              }
              isBusy={isBusy}
              onPress={() => run(() => listening.whisper())}
            />
          )
        )}
      </div>
      {said}
      <p class="hint" role="status">
        {listening.notice.value}
      </p>
    </>
  );
}

function sentenceOf({ mode, isLost }: HearingParts['state'], far: string, other: string | undefined): string {
  if (isLost) return 'The connection was lost. Reconnecting…';
  if (mode === 'speaking')
    return `You speak to the ${far}. The agent listens and is silent until you hand the call back.`;
  if (mode === 'whispering') return `Only the colleague hears you, not the ${far}.`;
  if (other !== undefined) return `${other} speaks to the ${far} instead of the agent.`;
  return 'You hear the call. Nobody hears you.';
}

interface SpeakParts {
  act: string;
  label: string;
  refusal: string | undefined;
  isBusy: boolean;
  onPress: () => void;
}

/** Disabled with its reason: as a tooltip, and below the buttons for keyboards and phones. */
const SpeakButton = ({ act, label, refusal, isBusy, onPress }: SpeakParts): VNode => (
  <>
    <button
      type="button"
      data-act={act}
      title={refusal}
      aria-disabled={isBusy || refusal !== undefined}
      aria-describedby={refusal === undefined ? undefined : `${act}-refusal`}
      onClick={() => refusal === undefined && onPress()}
    >
      <Icon name="mic" />
      {label}
    </button>
    {refusal !== undefined && (
      <span id={`${act}-refusal`} class="hint">
        {refusal}
      </span>
    )}
  </>
);

/** The last words of the conversation below, which screen readers hear there. */
function Latest({ entries, far }: { entries: readonly Entry[]; far: string }): VNode | null {
  const spoken = entries.filter((entry) => entry.kind === 'turn' || entry.kind === 'speaking').slice(-2);
  if (spoken.length === 0) return null;
  return (
    <ol class="talk latest" aria-hidden="true">
      {spoken.map((entry) => (
        <li key={entry.key} class={`entry turn ${entry.role}`}>
          <div class="entry-head">
            <strong>{speakerName(entry, far)}</strong>
          </div>
          <p class={`bubble${entry.kind === 'speaking' ? ' now' : ''}`}>{entry.text === '' ? '…' : entry.text}</p>
        </li>
      ))}
    </ol>
  );
}
