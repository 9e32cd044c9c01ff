import { newId, type Log } from '@app/common';
import { type Codec, type MediaSession, openMediaSession } from '@app/telephony';
import { MemoryVariables } from '@app/tools';
import {
  AgentSession,
  pause,
  type SessionOptions,
  type Speech,
  systemClock,
  ToolBox,
  type VoiceTool,
} from '@app/voice';
import { type RecordedMocks, simulatedTransfer, toolsOfScenario } from '../scenario/mocked-tools.js';
import { judgeOf } from '../scenario/scenario-judge.js';
import { PendingWork, watchedTool } from '../scenario/pending-work.js';
import type { Scenario, LineProfile } from '@app/agents/scenarios';
import { flowSource, otherTools } from '../scenario/simulated-flow.js';
import type { SimulatedAgent, ToolRunFacts } from '../scenario/simulated-agent.js';
import { type PlayOptions, playScenario, type SimulationResult } from '../scenario/simulation.js';
import { AudibleLine } from './audible-line.js';
import { callerVoice } from './caller-voice.js';
import { hasFaults, PacketPath } from './packet-path.js';
import { type CallerVoice, TesterAudio } from './tester-audio.js';

const HOST = '127.0.0.1';
/** Below the ephemeral ports, apart from those of dialers and of the sandbox phone. */
export const TESTER_PORTS = { min: 30_000, max: 31_998 };
const PAYLOAD_TYPES: Record<Codec, number> = { PCMU: 0, PCMA: 8, G722: 9 };
const DTMF_PAYLOAD_TYPE = 101;

/** The agent of a conversation in speech. */
export interface SpeakingAgent extends SimulatedAgent {
  /** For the agent's own phrases. */
  speech: Speech;
}

export interface AudioLineOptions {
  profile: LineProfile;
  voice: CallerVoice;
  /** Of the network's faults. */
  seed: string;
}

/** Plays a scenario in speech. Never rejects because of the agent, its provider or its tools. */
export async function simulateAudio(
  agent: SpeakingAgent,
  scenario: Scenario,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
  options: PlayOptions = {},
): Promise<SimulationResult> {
  const { profile } = scenario;
  const voice = await callerVoice(profile, agent.settings.agent.language);
  const line = new AudioLine(agent, scenario, { profile, voice, seed: seedOf(scenario, options.repetition) }, log);
  const result = await playScenario(scenario, line, options);
  return { ...result, recorded: scenario.tools === 'record' ? line.recorded : null };
}

/** Of the network's faults: each conversation of a repeated scenario has its own. */
export const seedOf = ({ name }: Pick<Scenario, 'name'>, repetition = 0): string => `${name} ${repetition}`;

/**
 * A conversation in speech without SIP: two media sessions send RTP to each other on the loopback, and the agent's session listens to one of
 * them. Codecs, jitter buffer, keys, voice activity and pacing are those of calls, and so is the time that everything takes.
 */
class AudioLine extends AudibleLine {
  readonly recorded: RecordedMocks = {};
  private readonly work = new PendingWork();
  private readonly session: AgentSession;
  private readonly runs = new Map<string, ToolRunFacts>();
  private sessions: MediaSession[] = [];
  private path: PacketPath | undefined;
  private over: Promise<unknown> = Promise.resolve();

  constructor(
    agent: SpeakingAgent,
    scenario: Pick<Scenario, 'tools' | 'mocks' | 'direction' | 'metadata' | 'variables'>,
    private readonly options: AudioLineOptions,
    log: Pick<Log, 'info' | 'warn' | 'error'>,
  ) {
    super(options.profile);
    const { work, recorded, runs } = this;
    const secure = new Map<string, string>();
    const variables = new MemoryVariables(scenario.variables);
    const toolsOf = (one: SimulatedAgent): VoiceTool[] =>
      toolsOfScenario(
        scenario,
        {
          own: one.tools((id, facts) => void runs.set(id, facts), { secure, variables }),
          others: otherTools(one, simulatedTransfer),
        },
        {
          wait: (ms, signal) => work.during(pause(systemClock, ms, signal)),
          really: (tool) => watchedTool(tool, work),
          recorded,
        },
      );
    const flow = flowSource(agent, {
      events: this.events,
      toolsOf,
      watched: (one) => one,
      during: (loading) => work.during(loading),
    });
    const talking: SessionOptions = {
      provider: agent.provider,
      fallbacks: agent.fallbacks,
      settings: { ...agent.settings, modality: 'audio', answeringMachine: undefined },
      call: { callId: newId(), direction: scenario.direction, to: '', from: '', metadata: scenario.metadata },
      tools: new ToolBox(toolsOf(agent), agent.checkArguments),
      speech: agent.speech,
      ...judgeOf(agent, (verdict) => work.during(verdict)),
      onEvent: (event) => {
        agent.heard?.(event);
        if (event.type === 'values_collected') variables.set(event.values);
        this.noted(event.type === 'tool_call' ? { ...event, ...runs.get(event.tool_call_id) } : event);
      },
      onWords: (words) => this.hears(words),
      onSecret: (name, digits) => void secure.set(name, digits),
      log,
    };
    this.session = new AgentSession(talking, flow);
  }

  async connect(): Promise<void> {
    const { profile, voice, seed } = this.options;
    const media = { bindAddress: HOST, ports: TESTER_PORTS };
    const [tester, agent] = await Promise.all([openMediaSession(media), openMediaSession(media)]);
    this.sessions = [tester, agent];
    const own = { address: HOST, port: tester.localPort };
    if (hasFaults(profile)) this.path = await PacketPath.open(own, profile, seed);
    const terms = {
      codec: profile.codec,
      payloadType: PAYLOAD_TYPES[profile.codec],
      dtmfPayloadType: DTMF_PAYLOAD_TYPE,
      sendAudio: true,
    };
    const toAgent = { address: HOST, port: agent.localPort };
    tester.start({ ...terms, ...(this.path?.describe(toAgent) ?? toAgent) });
    agent.start({ ...terms, ...(this.path?.address ?? own) });
    this.audio = new TesterAudio(tester, profile, voice);
    this.over = this.session.start(agent).then((end) => (this.end ??= end));
  }

  override stop(why: string): void {
    super.stop(why);
    this.session.stop('drained');
  }

  protected override get isToolRunning(): boolean {
    return !this.work.isNone;
  }

  protected async release(): Promise<void> {
    this.session.stop('user_hangup');
    await this.over;
    this.measured(this.sessions[0]?.stats());
    await Promise.all(this.sessions.map((session) => session.close()));
    this.path?.close();
  }
}
