import type { Log } from '@app/common';
import type { AnsweringMachineSettings } from './answering-machine/screening.js';
import type { BargeInTimings } from './barge-in.js';
import type { Clock } from './clock.js';
import type { IdleSettings } from './session-timers.js';
import type { AgentProfile, VoiceProvider } from './providers/voice-provider.js';
import type { SessionEvent } from './session-events.js';
import type { Speech } from './speech/speech.js';
import type { CallContext, ToolBox } from './tool-box.js';

/** How one agent behaves on the line; what is left out has the default of its part. */
export interface SessionSettings {
  agent: AgentProfile;
  /** Default 600. */
  maxCallSeconds?: number;
  /** Default `audio`. With `text` the provider neither hears nor speaks. */
  modality?: 'audio' | 'text';
  idle?: Partial<IdleSettings>;
  bargeIn?: Partial<BargeInTimings>;
  phrases?: Partial<Phrases>;
  /** Absent: the agent speaks at once, to whatever answers. */
  answeringMachine?: AnsweringMachineSettings;
}

export interface SessionOptions {
  provider: VoiceProvider;
  /** Take over in this order when the one before is lost for good, with the history as text. */
  fallbacks?: readonly VoiceProvider[];
  settings: SessionSettings;
  call: CallContext;
  tools: ToolBox;
  /** For what the session says itself when the provider is gone. */
  speech: Speech;
  /** Takes every event in order, at once; a failing sink is logged and does not end the call. */
  onEvent: (event: SessionEvent) => void;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Default: the system's. */
  clock?: Clock;
}

/** What a session says by itself, whatever the provider. */
export interface Phrases {
  /** While a tool works. */
  filler: string;
  /** While the provider is being connected again. */
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
