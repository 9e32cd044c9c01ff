import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isLive, type WholeCall } from '../../api/types.js';
import { Icon, type IconName } from '../../components/icons.js';
import { OnePassage, Passages } from '../../components/passage.js';
import { Empty, Json } from '../../components/parts.js';
import type { Entry } from '../../logic/conversation.js';
import { clock, plural, span, wordless, words } from '../../logic/format.js';
import { speakerName } from '../../logic/speakers.js';
import { answerOf } from '../../logic/story.js';
import type { Playback } from './call-chart.js';

interface TalkParts {
  call: WholeCall;
  entries: readonly Entry[];
  far: string;
  playback: Playback;
}

const NEAR_END_PX = 40;

/** The transcript as a conversation, with tool calls, searches and notes between the turns. */
export function Conversation({ call, entries, far, playback }: TalkParts): VNode {
  const place = useRef<HTMLDivElement>(null);
  const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = place.current ?? {};
  const wasAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  useLayoutEffect(() => {
    // The view keeps its place when the user has scrolled up.
    if (wasAtEnd && isLive(call)) place.current?.scrollTo(0, place.current.scrollHeight);
  }, [entries]);
  const playing = playback.ms.value;
  const shown = entries.findLast(({ kind, atMs }) => kind === 'turn' && playing !== undefined && atMs <= playing + 50);
  const [title, why] = silenceOf(call);
  return (
    <div ref={place} class="talk-place" role="log" aria-label="Transcript" tabIndex={0}>
      <ol class="talk">
        {entries.map((entry) => (
          <li
            key={entry.key}
            class={`entry ${entry.kind} ${'role' in entry ? entry.role : 'between'}${entry === shown ? ' playing' : ''}`}
            data-key={entry.key}
          >
            <EntryView entry={entry} far={far} call={call} playback={playback} />
          </li>
        ))}
        {entries.length === 0 && (
          <li>
            <Empty icon="phone" title={title}>
              <p>{why}</p>
            </Empty>
          </li>
        )}
      </ol>
    </div>
  );
}

/** Title and reason for an empty conversation. */
function silenceOf(call: WholeCall): [title: string, why: string] {
  const isAnswered = call.answered_at !== null;
  if (isLive(call))
    return [isAnswered ? 'No speech yet' : 'Waiting for an answer', 'The transcript appears here during the call.'];
  if (call.transcript_deleted_at !== null) return ['No conversation', 'Deleted at the end of its retention period.'];
  const why = isAnswered ? 'The call ended before anything was said.' : 'The call was not answered.';
  return ['No conversation', why];
}

interface EntryParts<E extends Entry = Entry> {
  entry: E;
  far: string;
  call: WholeCall;
  playback: Playback;
}

function EntryView({ entry, ...rest }: EntryParts): VNode {
  switch (entry.kind) {
    case 'turn':
    case 'speaking':
      return <Turn entry={entry} {...rest} />;
    case 'tool':
      return (
        <Act icon="tool" {...entry} label={`${words(entry.name)}${entry.ok ? '' : ' failed'}`}>
          <Json title="Arguments" value={entry.given} />
          <Json title="Result" value={entry.result} />
        </Act>
      );
    case 'search': {
      const found = entry.ok ? plural(entry.passages.length, 'passage') : 'failed';
      return (
        <Act icon="search" {...entry} label={`Searched for “${entry.query}”: ${found}`}>
          <Passages all={entry.passages} query={entry.query} />
        </Act>
      );
    }
    case 'keys':
      return (
        <Line icon="keys">
          {`${entry.sent ? 'The agent pressed' : `${rest.far} pressed`} `}
          <kbd>{entry.digits}</kbd>
        </Line>
      );
  }
  return <Line icon={entry.isBad ? 'warn' : 'info'}>{entry.text}</Line>;
}

const Line = ({ icon, children }: { icon: IconName; children: ComponentChildren }): VNode => (
  <p class="between-line">
    <Icon name={icon} />
    <span>{children}</span>
  </p>
);

interface ActParts {
  icon: IconName;
  label: string;
  ok: boolean;
  tookMs: number;
  children: ComponentChildren;
}

const Act = ({ icon, label, ok, tookMs, children }: ActParts): VNode => (
  <details class={`act${ok ? '' : ' bad'}`}>
    <summary>
      <Icon name={icon} />
      <span>{label}</span>
      <span class="muted small">{span(tookMs)}</span>
    </summary>
    {children}
  </details>
);

function Turn({ entry, far, call, playback }: EntryParts<Extract<Entry, { kind: 'turn' | 'speaking' }>>): VNode {
  const at = clock(((answerOf(call) ?? 0) + entry.atMs) / 1_000);
  return (
    <>
      <div class="entry-head">
        <strong>{speakerName(entry, far)}</strong>
        <button type="button" class="at" aria-label={`Play from ${at}`} onClick={() => playback.playFrom(entry.atMs)}>
          {at}
        </button>
        {entry.kind === 'turn' && entry.answeredMs !== undefined && (
          <span class="muted small" title={`After the end of the user's input: ${entry.steps}`}>
            after {span(entry.answeredMs)}
          </span>
        )}
      </div>
      <Bubble entry={entry} />
      {entry.kind === 'turn' && entry.cutBy !== undefined && (
        <p class="cut">
          <Icon name="hang" />
          Interrupted by {cutWords(entry.cutBy)}
        </p>
      )}
    </>
  );
}

function Bubble({ entry }: { entry: Extract<Entry, { kind: 'turn' | 'speaking' }> }): VNode {
  if (entry.kind === 'speaking')
    return (
      <p class="bubble now">
        {entry.text && <span class="words">{entry.text} </span>}
        <span class="dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        <span class="unseen">is speaking</span>
      </p>
    );
  const length = wordless(entry.text);
  if (length !== undefined) return <p class="bubble wordless">{`spoke for ${length} (no transcription)`}</p>;
  return (
    <p class="bubble">
      {entry.text}
      {entry.cutBy !== undefined && <span aria-hidden="true"> —</span>}
    </p>
  );
}

const cutWords = (by: string): string =>
  ({ dtmf: 'a key', machine: 'an answering machine', provider: 'the provider', supervisor: 'a colleague' })[by] ?? by;

/** The agent's knowledge searches of a call, with their results. */
export function KnowledgeUsed({ call, entries }: { call: WholeCall; entries: readonly Entry[] }): VNode {
  const searches = entries.filter((entry) => entry.kind === 'search');
  if (searches.length === 0)
    return (
      <p class="muted">
        The agent did not search its knowledge. <a href={`#/knowledge/${call.agent_id}`}>View knowledge</a>
      </p>
    );
  return (
    <ul class="stack plain">
      {searches.map(({ key, query, passages: [first, ...more], atMs }) => (
        <li key={key} class="card tight">
          <div class="split">
            <strong>“{query}”</strong>
            <span class="muted small">at {clock(((answerOf(call) ?? 0) + atMs) / 1_000)}</span>
          </div>
          {first ? <OnePassage passage={first} query={query} /> : <p class="muted">No results.</p>}
          {more.length > 0 && (
            <details>
              <summary>{plural(more.length, 'more passage')}</summary>
              <Passages all={more} query={query} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
