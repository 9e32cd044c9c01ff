import type { Log } from '@app/common';
import type { BargeInTimings } from './conversation/barge-in.js';
import type { HearingClient } from './hearing/hearing-client.js';
import type { Clock } from './clock.js';
import type { AgentProfile, VoiceProvider } from './providers/voice-provider.js';
import type { SessionEvent, TurnWords } from './session-events.js';
import type { IdleSettings } from './conversation/session-timers.js';
import type { Speech } from './speech/speech.js';
import type { DigitInput } from './tools/digit-input.js';
import type { CallContext, ToolBox } from './tools/tool-box.js';

/** The behaviour of an agent on the line; omitted settings have the default of their component. */
export interface SessionSettings {
  agent: AgentProfile;
  /** Default 600. */
  maxCallSeconds?: number;
  /** Default `audio`. With `text` the provider neither hears nor speaks. */
  modality?: 'audio' | 'text';
  idle?: Partial<IdleSettings>;
  bargeIn?: Partial<BargeInTimings>;
  hearing?: HearingSettings;
  phrases?: Partial<Phrases>;
  /** Absent: the agent speaks at once, without answering machine detection. */
  answeringMachine?: AnsweringMachineSettings;
  /** The digits that the agent may ask for, with the tool `collect_digits`. */
  digitInputs?: readonly DigitInput[];
  /** Absent: the call is recorded without, or not at all. */
  recordingConsent?: RecordingConsentSettings;
  /** The sound after the filler phrase while a tool runs; default `off`. */
  toolSound?: 'off' | 'typing' | 'music';
}

/** The behaviour of an agent towards an answering machine. */
export interface AnsweringMachineSettings {
  /** `go_on`: the agent is notified and talks as to a human, for example to navigate a menu. */
  onMachine: 'hang_up' | 'leave_message' | 'go_on';
  /** Spoken by `leave_message` verbatim, after the beep. */
  message: string;
  /** Without a beep, the message starts this many seconds after the machine was recognised; default 30. */
  waitForBeepSeconds?: number;
  /** For a service that asks who is calling. `answer`: says `screeningMessage` and waits for the person. Absent: as `onMachine`. */
  onScreening?: 'answer' | 'hang_up' | 'go_on';
  screeningMessage?: string;
  /** For menus. Absent: as `onMachine`. */
  onIvr?: 'hang_up' | 'go_on';
}

/** How the user learns of the recording, or agrees to it. */
export interface RecordingConsentSettings {
  mode: 'announce' | 'ask';
  message: string;
  /** BCP 47 tag of the message, when it is not the agent's: the local voice speaks it. */
  language?: string;
  /** Each of these keys agrees, any other refuses. */
  acceptKeys: string;
  onRefusal: 'continue_without_recording' | 'hang_up';
  /** Spoken before `hang_up`. */
  refusalMessage?: string;
}

/** How the agent hears the user. */
interface HearingSettings {
  /** The detector of the user's voice. Default `energy`. `neural` ignores noise; without its packages `energy` is used. */
  voiceActivity?: 'energy' | 'neural';
  /** Removes noise from the audio for the provider; recordings stay as they are. Default false. */
  noiseSuppression?: boolean;
}

export interface SessionOptions {
  provider: VoiceProvider;
  /** Take over in this order, with the history as text, after the provider before failed permanently. */
  fallbacks?: readonly VoiceProvider[];
  settings: SessionSettings;
  call: CallContext;
  tools: ToolBox;
  /** Synthesises the session's own phrases. */
  speech: Speech;
  /** Gets every event in order, synchronously; a failing sink is logged and does not end the call. */
  onEvent: (event: SessionEvent) => void;
  /** Gets the digits that no event has, before the model knows of them. */
  onSecret?: (name: string, digits: string) => void;
  /** Gets the words of running turns, at most every 400 ms per turn. Absent: they are not computed. */
  onWords?: (words: TurnWords) => void;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Runs the neural models of `settings.hearing`. Absent: energy detects the voice, and noise stays. */
  hearing?: Pick<HearingClient, 'voiceActivity' | 'noiseSuppressor'>;
  /** Default: the system clock. */
  clock?: Clock;
}

/** The neural models, when they detect the voice of this agent's users. */
export const neuralHearing = ({ settings, hearing }: Pick<SessionOptions, 'settings' | 'hearing'>) =>
  settings.hearing?.voiceActivity === 'neural' ? hearing : undefined;

/** Phrases of the session itself, for every provider. */
export interface Phrases {
  /** While a tool runs. */
  filler: string;
  /** While the provider is reconnected. */
  moment: string;
  idle: string;
  goodbye: string;
  apology: string;
}

export const DEFAULT_PHRASES: Phrases = {
  filler: 'One moment, please.',
  moment: 'One moment, please.',
  idle: 'Are you still there?',
  goodbye: 'I cannot hear you, so I will hang up now. Goodbye.',
  apology: 'I am sorry, we have a technical problem. Please try again later. Goodbye.',
};
