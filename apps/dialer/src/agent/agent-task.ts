import type { Log } from '@app/common';
import type { HandoffContext } from '@app/flow';
import {
  loopTask,
  type MediaPort,
  RINGBACK_TASK,
  ringbackTask,
  type RunAudioTask,
  type TaskChannel,
  type TaskKinds,
} from '@app/telephony';
import {
  BUILTIN_TOOLS,
  AgentSession,
  type GuardrailJudge,
  type HearingClient,
  holdMusic,
  LazyProvider,
  loadFlowSession,
  type NextAgent,
  openJudge,
  type ProviderSettings,
  registerProvider,
  registerSandboxLegs,
  type RunningFlow,
  type SessionEnd,
  type SessionOptions,
  type SessionSettings,
  sessionTools,
  type Speech,
  type StepStyle,
  styledChoice,
  systemClock,
  ToolAnswer,
  ToolBox,
  type ToolContext,
  ToolFailed,
  type VoiceTool,
} from '@app/voice';
import type { AskPolicy } from '@app/voice/guardrails';
import { POLICY_TOOL } from './policy-tool.js';
import {
  AGENT_TASK,
  HOLD_MUSIC_TASK,
  type AgentInit,
  type FromAgent,
  type RemoteTool,
  type ToAgent,
  type ToolRequest,
  type ToolResponse,
} from './agent-messages.js';
import { LISTENING_TASK, listeningTask, WHISPER_TASK, whisperTask } from '../listening/listening-task.js';
import { CALLER_AUDIO_TASK, callerAudioTask } from '../media/caller-audio.js';

registerProvider('sandbox', async () => (await import('../media/sandbox.js')).sandboxProvider);
registerSandboxLegs(async () => (await import('../media/sandbox.js')).sandboxLegs);

/** The dependencies of all agents of one thread. */
interface AgentParts {
  speech: Speech;
  settings: ProviderSettings;
  hearing: HearingClient;
  log: Log;
}

/** The audio tasks of the dialer. */
export const agentTasks = (parts: AgentParts): TaskKinds => ({
  [AGENT_TASK]: agentTask(parts),
  [RINGBACK_TASK]: ringbackTask,
  [CALLER_AUDIO_TASK]: callerAudioTask(parts.speech),
  [LISTENING_TASK]: listeningTask,
  [WHISPER_TASK]: whisperTask,
  [HOLD_MUSIC_TASK]: loopTask(holdMusic),
});

/** The voice agent as an audio task: its session and the connection to its provider live in the thread of the audio. */
const agentTask =
  (parts: AgentParts): RunAudioTask =>
  async (media, init, channel) => {
    const post = (message: FromAgent): void => channel.post(message);
    const { providers, sandbox, settings, expectedCodec, call, tools, builtInTools = true } = init as AgentInit;
    const { speech, hearing } = parts;
    const shared = { speech, clock: systemClock, settings: { ...parts.settings, sandbox } };
    const toolClient = new ToolRpcClient(tools, post);
    const loader = new NextAgentClient(post, toolClient, shared);
    const { flow } = init as AgentInit;
    const running: RunningFlow | undefined = flow && {
      Session: await loadFlowSession(),
      flow,
      openProviders: (style) => styledProviders(providers, style, shared),
      loadAgent: (agentId, context) => loader.load(agentId, context),
    };
    const [first, ...others] = providers;
    const talking: SessionOptions = {
      provider: new LazyProvider(first, shared),
      fallbacks: others.map((other) => new LazyProvider(other, shared)),
      settings,
      call,
      tools: new ToolBox([...(builtInTools ? BUILTIN_TOOLS : []), ...toolClient.tools]),
      speech,
      hearing,
      judge: await judgeOf(settings, toolClient),
      onEvent: (event) => post({ type: 'event', event }),
      onWords: (words) => post({ type: 'words', words }),
      onSecret: (name, digits) => post({ type: 'secret', name, digits }),
      log: parts.log.child({ call_id: call.callId }),
    };
    const session = new AgentSession(talking, running);
    void session.connect(expectedCodec).then(() => post({ type: 'connected' }));
    return whenAnswered(media, channel, post, { toolClient, loader }, session);
  };

/** The rules are matched beside the audio; only policies need the main thread. */
function judgeOf(settings: SessionSettings, client: ToolRpcClient): Promise<GuardrailJudge | undefined> {
  const ask: AskPolicy = async (policy, on, words, signal) =>
    (await client.ask(POLICY_TOOL, { policy, on, words }, signal)) === true;
  return openJudge(settings, ask);
}

/**
 * The agent is silent before the answer: the caller hears ringback, and nothing is billed. Its provider is connected meanwhile. Resolves
 * early when a machine talks without answering.
 */
function whenAnswered(
  media: MediaPort,
  channel: TaskChannel,
  post: (message: FromAgent) => void,
  { toolClient, loader }: { toolClient: ToolRpcClient; loader: NextAgentClient },
  session: AgentSession,
): Promise<SessionEnd | undefined> {
  return new Promise((resolve, reject) => {
    let talking = false;
    let isGivenUp = false;
    session.hearEarlyMedia(media, (end) => {
      isGivenUp = true;
      session.stop('cancelled');
      resolve(end);
    });
    channel.onMessage((message) => {
      const command = message as ToAgent;
      if (command.type === 'answered') {
        if (isGivenUp) return;
        talking = true;
        session.start(media).then(resolve, reject);
      } else if (command.type === 'stop') {
        session.stop(command.reason);
        if (!talking) resolve(undefined);
      } else if (command.type === 'command') {
        const { id } = command;
        void session.command(command.command).then((outcome) => post({ type: 'command_outcome', id, outcome }));
      } else if (command.type === 'voice') {
        session.hearPerson(Buffer.from(command.audio));
      } else if (command.type === 'agent_loaded' || command.type === 'agent_failed') loader.take(command);
      else {
        toolClient.take(command);
      }
    });
  });
}

const answerOf = ({ result, ok, assigned, isPending }: Extract<ToolResponse, { type: 'tool_result' }>): unknown =>
  ok === undefined ? result : new ToolAnswer(result, ok, assigned, result, isPending);

type SharedParts = ConstructorParameters<typeof LazyProvider>[1];

function styledProviders(choices: AgentInit['providers'], style: StepStyle, parts: SharedParts) {
  const [first, ...others] = choices;
  return {
    provider: new LazyProvider(styledChoice(first, style), parts),
    fallbacks: others.map((other) => new LazyProvider(other, parts)),
  };
}

type LoadedAgent = Extract<ToAgent, { type: 'agent_loaded' | 'agent_failed' }>;

/** Reads other agents in the main thread. */
class NextAgentClient {
  private readonly pending = new Map<number, (answer: LoadedAgent) => void>();
  private lastId = 0;

  constructor(
    private readonly post: (message: FromAgent) => void,
    private readonly tools: ToolRpcClient,
    private readonly parts: SharedParts,
  ) {}

  take(answer: LoadedAgent): void {
    this.pending.get(answer.id)?.(answer);
    this.pending.delete(answer.id);
  }

  async load(agentId: number, context: HandoffContext): Promise<NextAgent> {
    const id = ++this.lastId;
    const answer = await new Promise<LoadedAgent>((resolve) => {
      this.pending.set(id, resolve);
      this.post({ type: 'load_agent', id, agentId, context });
    });
    if (answer.type === 'agent_failed') throw new ToolFailed(answer.code, answer.message);
    const { providers, sandbox, settings, tools, flow, summary } = answer.agent;
    const own = this.parts.settings;
    const parts = { ...this.parts, settings: { ...own, sandbox: sandbox ?? own.sandbox } };
    return {
      agent: settings.agent,
      tools: [...sessionTools(settings), ...BUILTIN_TOOLS, ...this.tools.toolsOf(tools)],
      flow,
      judge: await judgeOf(settings, this.tools),
      ...(summary !== undefined && { summary }),
      openProviders: (style) => styledProviders(providers, style, parts),
    };
  }
}

interface PendingCall {
  /** Absent: only the arguments are checked, or the session asks, not the model. */
  context?: ToolContext;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

type Asked<Request> = Request extends { type: 'tool_call' | 'tool_check' } ? Omit<Request, 'id'> : never;

/** The tools of the main thread, for the agent's session beside the audio. */
export class ToolRpcClient {
  readonly tools: VoiceTool[];
  private readonly pending = new Map<number, PendingCall>();
  private lastId = 0;

  constructor(
    definitions: RemoteTool[],
    private readonly send: (request: ToolRequest) => void,
  ) {
    this.tools = this.toolsOf(definitions);
  }

  toolsOf(definitions: readonly RemoteTool[]): VoiceTool[] {
    return definitions.map((definition) => ({
      ...definition,
      run: (args, context) => this.run(definition.name, args, context),
      problemsOf: (args, signal) => this.problemsOf(definition.name, args, signal),
    }));
  }

  /** A response of the main thread; a late response does nothing. */
  take(response: ToolResponse): void {
    const pending = this.pending.get(response.id);
    if (!pending) return;
    if (response.type === 'end_call') return pending.context?.control.endCall();
    if (response.type === 'hand_over') return pending.context?.control.handOver();
    this.pending.delete(response.id);
    if (response.type === 'tool_result') pending.resolve(answerOf(response));
    else pending.reject(new ToolFailed(response.code, response.message, response.problems));
  }

  /** For the session itself. */
  ask(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    return this.request({ type: 'tool_call', name, toolCallId: '', args }, signal);
  }

  private async problemsOf(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<string[] | undefined> {
    const problems = await this.request({ type: 'tool_check', name, args }, signal);
    return (problems as string[] | null) ?? undefined;
  }

  private run(name: string, args: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    const { toolCallId, confirmation, signal } = context;
    const confirmed = confirmation && { confirmation };
    return this.request({ type: 'tool_call', name, toolCallId, args, ...confirmed }, signal, context);
  }

  private request(request: Asked<ToolRequest>, signal: AbortSignal, context?: ToolContext): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { context, resolve, reject });
      signal.addEventListener('abort', () => this.abort(id), { once: true });
      this.send({ id, ...request });
    });
  }

  private abort(id: number): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    this.pending.delete(id);
    this.send({ type: 'tool_abort', id });
    pending.reject(new ToolFailed('aborted', 'The call ended before the tool did.'));
  }
}
