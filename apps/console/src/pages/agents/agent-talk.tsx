import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { microphoneState, Talk, type TalkState } from '../../api/talk.js';
import { may } from '../../api/me.js';
import { apiPath } from '../../api/path.js';
import type { AgentVariable, WholeAgent } from '../../api/types.js';
import { AgentWarnings, WarningsOfAgent } from '../../components/agent-warnings.js';
import { Form } from '../../components/forms.js';
import { Icon } from '../../components/icons.js';
import { Keypad, Level, LiveWords } from '../../components/live-audio.js';
import { Loaded, useRead, useRecord } from '../../components/lists.js';
import { Card, Page, Pill, Running, Trouble, useKeptFocus } from '../../components/parts.js';
import type { Params } from '../../components/router.js';
import { typedValues, VariableFields } from '../../components/variable-fields.js';
import type { TalkSettings } from '../../logic/talk-settings.js';

/** What the editor beside shows: how a talk uses it, and what it declares. */
interface TalkDraft {
  declared: readonly AgentVariable[];
  settings: () => { settings: TalkSettings; body: Record<string, unknown> };
  /** Called when a draft was stored. */
  onStored: () => void;
}

/** The talk of a page. It ends when the page is left, and goes on while its agent is saved. */
export function useTalk(agentId: string): Talk {
  const talk = useMemo(() => new Talk(), [agentId]);
  useEffect(() => () => talk.hangUp(), [talk]);
  return talk;
}

/** A page for a talk with an agent: the first minute of a new user, and a phone in the hand. */
export function TalkPage({ params: { id = '' } }: { params: Params }): VNode {
  const agent = useRecord<WholeAgent>(apiPath`agents/${id}`);
  const talk = useTalk(id);
  const values = useSignal<Readonly<Record<string, string>>>({});
  return (
    <Page
      title={agent.data ? `Talk to ${agent.data.name}` : 'Talk'}
      lead="A call from this browser, with the microphone and the speakers of this device."
      back={[`#/agents/${id}`, agent.data?.name ?? 'Agent']}
    >
      <Loaded of={agent} what="the agent">
        {(one) => (
          <div class="talk-page">
            <AgentWarnings all={agent.warnings} />
            <TalkCard agent={one} talk={talk} values={values} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface CardParts {
  agent: WholeAgent;
  talk: Talk;
  /** Values of the variables. */
  values: Signal<Readonly<Record<string, string>>>;
  /** Absent: the published version is tried. */
  draft?: TalkDraft;
}

/** Talks with the agent in the browser. */
export const TalkCard = (parts: CardParts): VNode => (
  <Card
    title={parts.draft ? 'Talk to this agent' : 'Talk'}
    name="talk-live"
    aside={<TalkPill state={parts.talk.state.value} />}
  >
    <TalkBody {...parts} />
  </Card>
);

function TalkPill({ state }: { state: TalkState }): VNode | null {
  if (state.name === 'live')
    return state.isLost ? (
      <Pill status="slow" label="Reconnecting" />
    ) : state.since === undefined ? (
      <Pill status="ringing" />
    ) : (
      <span class="talk-clock">
        <Pill status="in_progress" label="Live" />
        <Running since={state.since} />
      </span>
    );
  return state.name === 'starting' ? <Pill status="ringing" label="Connecting" /> : null;
}

function TalkBody(parts: CardParts): VNode {
  const { talk, agent, draft } = parts;
  const { value: state } = talk.state;
  const place = useRef<HTMLDivElement>(null);
  useKeptFocus(place, (here) => here.querySelector<HTMLElement>('[data-heir], button'));
  return (
    <div ref={place} class="stack" data-state={state.name}>
      {state.name === 'idle' && agent.provider === 'sandbox' && <p class="hint">{SANDBOX}</p>}
      {state.name === 'idle' && draft && <WarningsOfAgent agentId={agent.id} />}
      {state.name === 'starting' && <Starting step={state.step} onCancel={() => talk.hangUp()} />}
      {state.name === 'live' && <Live talk={talk} name={agent.name} />}
      {state.name === 'over' && <After talk={talk} name={agent.name} state={state} />}
      {/* The form stays while the talk starts: it shows what the service refuses. */}
      {state.name !== 'live' && (
        <div hidden={state.name === 'starting'}>
          <StartForm {...parts} submit={state.name === 'over' ? 'Talk again' : 'Talk'} />
        </div>
      )}
    </div>
  );
}

const SANDBOX =
  'The sandbox agent hears that you speak, but does not understand words. It answers anything you say, and keys: 0 tells its task, 9 says goodbye.';

function StartForm({ agent, talk, values, draft, submit }: CardParts & { submit: string }): VNode {
  const declared = draft?.declared ?? agent.variables;
  const start = async (): Promise<void> => {
    const variables = typedValues(declared, (name) => values.value[name]);
    await talk.start({ agentId: agent.id, variables, ...draft?.settings() }, draft?.onStored);
  };
  return (
    <Form
      scope="calls:write"
      label="Talk"
      class="stack talk-start"
      submit={
        <>
          <Icon name="mic" />
          {submit}
        </>
      }
      busy="Connecting…"
      send={start}
    >
      <VariableFields declared={declared} values={values} />
      <MicrophoneHint />
    </Form>
  );
}

/** What the browser is about to ask, or why it will refuse. */
function MicrophoneHint(): VNode {
  const state = useRead('microphone', microphoneState).data;
  return (
    <p class="hint" data-role="microphone">
      <Icon name="mic" />
      <span>{HINTS[state ?? 'prompt']}</span>
    </p>
  );
}

const HINTS = {
  granted: 'Uses your microphone. Headphones give the best sound.',
  prompt: 'Your browser asks for the microphone first: choose Allow. It is used only during the talk.',
  denied:
    'The microphone is blocked for this page. Allow it with the icon beside the address of the page, then press Talk.',
  insecure: 'Browsers give the microphone only to pages on https or localhost. Open the console at such an address.',
} as const;

function Starting({ step, onCancel }: { step: 'microphone' | 'connecting'; onCancel: () => void }): VNode {
  const cancel = useRef<HTMLButtonElement>(null);
  // The button that was pressed is hidden now.
  useLayoutEffect(() => cancel.current?.focus(), []);
  return (
    <>
      <p role="status">
        {step === 'microphone'
          ? 'Your browser asks whether this page may use the microphone. Choose Allow.'
          : 'Connecting you to the agent…'}
      </p>
      <div class="actions">
        <button ref={cancel} type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </>
  );
}

interface LiveParts {
  talk: Talk;
  /** Of the agent. */
  name: string;
}

function Live({ talk, name }: LiveParts): VNode {
  const hasKeys = useSignal(false);
  const { value: isMuted } = talk.isMuted;
  return (
    <>
      <div class="levels">
        <Level
          label="You"
          role="user"
          level={() => (talk.isMuted.value ? 0 : talk.levels().user)}
          note={isMuted ? 'muted' : ''}
        />
        <Level label={name} role="agent" level={() => talk.levels().agent} />
      </div>
      <p class="hint talk-notice" role="status">
        {talk.notice.value}
      </p>
      <LiveWords
        turns={talk.turns.value}
        label="Words of this talk"
        names={{ user: 'You', agent: name, supervisor: 'Colleague' }}
        empty="The words appear here as they are spoken."
      />
      <div class="actions talk-actions">
        <button type="button" class="danger" data-act="hang-up" data-heir onClick={() => talk.hangUp()}>
          <Icon name="hang" />
          Hang up
        </button>
        <button
          type="button"
          class="switch"
          role="switch"
          aria-checked={isMuted}
          data-act="mute"
          onClick={() => talk.mute(!isMuted)}
        >
          Mute
        </button>
        <button
          type="button"
          data-act="keys"
          aria-expanded={hasKeys.value}
          aria-controls="talk-keys"
          onClick={() => (hasKeys.value = !hasKeys.value)}
        >
          <Icon name="keys" />
          Keys
        </button>
      </div>
      <div id="talk-keys" hidden={!hasKeys.value}>
        {hasKeys.value && <Keypad onPress={(key) => talk.pressKey(key)} />}
        <p class="hint" role="status">
          {talk.pressed.value !== '' && `Pressed ${talk.pressed.value}`}
        </p>
      </div>
    </>
  );
}

function After({ talk, name, state }: LiveParts & { state: Extract<TalkState, { name: 'over' }> }): VNode {
  return (
    <>
      {state.isBad ? (
        <Trouble error={new Error(state.sentence)} />
      ) : (
        <p role="status" data-role="end">
          {state.sentence}
        </p>
      )}
      {talk.turns.value.length > 0 && (
        <LiveWords
          turns={talk.turns.value}
          label="Words of the last talk"
          names={{ user: 'You', agent: name, supervisor: 'Colleague' }}
          empty=""
        />
      )}
      {state.callId !== undefined && may('calls:read') && (
        <p>
          <a href={`#/calls/${state.callId}`} data-role="call-link">
            See this call
          </a>
          <span class="muted"> with its recording, transcript and cost.</span>
        </p>
      )}
    </>
  );
}
