import { createLog } from '@app/common';
import { FormantVoice } from '@app/sandbox/formant';
import { AgentSession } from '../src/agent-session.js';
import { BUILTIN_TOOLS, type CheckArguments, ToolBox, type VoiceTool } from '../src/tools/tool-box.js';
import type { GuardrailJudge } from '../src/guardrails/guardrail.js';
import type { HearingClient } from '../src/hearing/hearing-client.js';
import type { VoiceProvider } from '../src/providers/voice-provider.js';
import type { SessionEnd, SessionEvent, SessionFact, TurnWords } from '../src/session-events.js';
import type { AnsweringMachineSettings, SessionSettings } from '../src/session-options.js';
import { Speech } from '../src/speech/speech.js';
import { Synthesiser } from '../src/speech/synthesiser.js';
import { ScriptedProvider } from './scripted-provider.js';
import { SteppedLine } from './stepped-line.js';

/** Shared by all tests of a file, so that sentences are synthesised once. */
export const speech = new Speech(new Synthesiser([new FormantVoice()]));

export interface TestCall {
  line: SteppedLine;
  session: AgentSession;
  events: SessionEvent[];
  /** Undefined until the session has ended. */
  end: () => SessionEnd | undefined;
  of: <T extends SessionFact['type']>(type: T) => Extract<SessionEvent, { type: T }>[];
}

/** An answered call on a stepped line. */
export function answeredCall(
  options: {
    settings?: Partial<SessionSettings>;
    tools?: VoiceTool[];
    provider?: (line: SteppedLine) => VoiceProvider;
    check?: CheckArguments;
    judge?: GuardrailJudge;
    fallbacks?: VoiceProvider[];
    hearing?: HearingClient;
    onWords?: (words: TurnWords) => void;
    onSecret?: (name: string, digits: string) => void;
  } = {},
): TestCall {
  const line = new SteppedLine();
  const events: SessionEvent[] = [];
  const agent = {
    name: 'Ada',
    instructions: 'Take orders for tea.',
    greeting: 'Hello, this is the tea house speaking.',
  };
  const session = new AgentSession({
    provider: options.provider?.(line) ?? new ScriptedProvider(speech, line),
    fallbacks: options.fallbacks,
    settings: { agent, ...options.settings },
    call: { callId: 'call-1', direction: 'outbound', to: 'sip:tea@localhost', from: '+15550001111', metadata: null },
    tools: new ToolBox([...BUILTIN_TOOLS, ...(options.tools ?? [])], options.check),
    speech,
    hearing: options.hearing,
    judge: options.judge,
    onEvent: (event) => events.push(event),
    onWords: options.onWords,
    onSecret: options.onSecret,
    log: createLog({ level: 'silent', role: 'test' }),
    clock: line,
  });
  let end: SessionEnd | undefined;
  const watch = async () => {
    end = await session.start(line);
  };
  void watch();
  return {
    line,
    session,
    events,
    end: () => end,
    of: (type) => events.filter((event): event is Extract<SessionEvent, { type: typeof type }> => event.type === type),
  };
}

/** A session with answering machine detection that nothing has started. */
export const sessionOn = (
  line: SteppedLine,
  answeringMachine: AnsweringMachineSettings,
  onEvent: (event: SessionEvent) => void,
): AgentSession =>
  new AgentSession({
    provider: new ScriptedProvider(speech, line),
    settings: { agent: { name: 'Ada', instructions: '', greeting: 'Hello.' }, answeringMachine },
    call: { callId: 'call-1', direction: 'outbound', to: 'sip:tea@localhost', from: '+15550001111', metadata: null },
    tools: new ToolBox(BUILTIN_TOOLS),
    speech,
    onEvent,
    log: createLog({ level: 'silent', role: 'test' }),
    clock: line,
  });

/** About this many milliseconds of a user's speech, as frames of the line. */
export async function userSpeech(ms: number): Promise<Buffer> {
  const words =
    'good morning I would like to order two pots of green tea for my office and a large cake with it please';
  const pieces: Buffer[] = [];
  for await (const { audio } of speech.say(words, { codec: 'PCMU' }, new AbortController().signal)) pieces.push(audio);
  return Buffer.concat(pieces).subarray(0, ms * 8);
}
