import type { CallResult, MediaPort, OutgoingInvite } from '@app/telephony';
import type { SessionEnd, SessionEvent, TurnWords } from '@app/voice';
import type { TestCallFacts } from '../scenario/tester-line.js';
import type { SpeechSpan } from './call-audio.js';
import type { TesterAudio } from './tester-audio.js';

/** The agent's side of a test call. Its methods reject with an error whose message is a sentence. */
export interface TestedCall {
  /** How the caller's phone reaches the agent; absent: the service calls the phone. */
  readonly dials?: DialledAgent;
  /** The service calls the phone at this SIP URI. */
  place(uri: string): Promise<void>;
  /** The agent has answered the phone with this number. */
  find(callerNumber: string): Promise<void>;
  /** Reports the events of the call, and its end, from now on. `phone`: it has answered. */
  follow(listener: TestedCallListener, phone: ListeningPhone | undefined): void;
  /** Of a call without stored events: what the caller does, and the end of the line, after which the last events are reported. */
  said?(text: string, span: SpeechSpan): void;
  pressed?(keys: string): void;
  lineEnded?(result: CallResult): void;
  /** Resolves when the call has ended and all events were reported; a call that rings is cancelled. Undefined: there is no record of it. */
  end(): Promise<TestCallFacts | undefined>;
}

export interface DialledAgent extends Pick<OutgoingInvite, 'requestUri' | 'nextHops' | 'targetAllowed'> {
  /** Throws when messages and audio must not be sent to this address. */
  checkAddress?: (address: string) => void;
  /** Why the call was not answered, as a sentence. */
  unanswered: (result: CallResult) => string;
}

/** The tester's phone in a call. */
export interface ListeningPhone {
  media: Pick<MediaPort, 'codec' | 'onFrame'>;
  audio: Pick<TesterAudio, 'nowMs' | 'isAgentSpeaking' | 'agentSpeechMs' | 'agentQuietMs' | 'agentHeardMs'>;
}

export interface TestedCallListener {
  event(event: SessionEvent): void;
  words(words: Pick<TurnWords, 'turn' | 'role' | 'text'>): void;
  /** `cause`: of a call that was not answered, or whose end the conversation does not know. */
  ended(end: SessionEnd | undefined, cause: string): void;
  /** The words of the call cannot be heard any more; `problem`: a sentence. */
  failed(problem: string): void;
}
