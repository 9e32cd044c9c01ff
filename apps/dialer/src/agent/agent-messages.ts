import type { HandoffContext } from '@app/flow';
import type { WireCodec } from '@app/telephony';
import type {
  AgentFlow,
  AssignedVariable,
  CallContext,
  RealtimeServer,
  SessionCommand,
  SessionCommandOutcome,
  SessionEvent,
  SessionSettings,
  StopReason,
  ToolContext,
  ToolDefinition,
  TurnWords,
  VoiceTool,
  ProviderChoice,
} from '@app/voice';

/** Name of the audio task that is a voice agent. */
export const AGENT_TASK = 'agent';

/** Name of the audio task that plays music to the remote party; it ends with its first message. */
export const HOLD_MUSIC_TASK = 'hold-music';

/** Everything that the agent of a call needs; the audio may be in another thread. */
export interface AgentInit {
  /** In order: the first speaks, the next takes over when it fails. */
  providers: [ProviderChoice, ...ProviderChoice[]];
  /** The sandbox server, when one of them is the sandbox. */
  sandbox?: RealtimeServer;
  settings: SessionSettings;
  /** The probable codec of the call, before the negotiation. */
  expectedCodec: WireCodec;
  call: CallContext;
  /** The tools that run in the main thread, with the database; built-in tools run beside the audio. */
  tools: RemoteTool[];
  /** Absent: one agent without steps. */
  flow?: AgentFlow;
  /** false: the session has no tools but these. */
  builtInTools?: boolean;
}

/** An agent that takes over. */
export interface NextAgentInit extends Pick<AgentInit, 'providers' | 'sandbox' | 'settings' | 'tools'> {
  flow: AgentFlow;
  summary?: string;
}

export type RemoteTool = ToolDefinition &
  Pick<VoiceTool, 'timeoutMs' | 'takesLine' | 'phrases' | 'confirm' | 'isBackground'>;

/** To the agent. */
export type ToAgent =
  /** The remote party answered: the conversation begins. */
  | { type: 'answered' }
  | { type: 'stop'; reason: StopReason }
  | { type: 'command'; id: number; command: SessionCommand }
  /** 20 ms of L16 of the person who has taken over. */
  | { type: 'voice'; audio: Uint8Array }
  | { type: 'agent_loaded'; id: number; agent: NextAgentInit }
  | { type: 'agent_failed'; id: number; code: string; message: string }
  | ToolResponse;

/** From the agent; it ends with the SessionEnd, or undefined when the call was not answered. */
export type FromAgent =
  | { type: 'event'; event: SessionEvent }
  | { type: 'words'; words: TurnWords }
  /** Secret digits, before the model knows of them. */
  | { type: 'secret'; name: string; digits: string }
  /** The provider is connected, or will not be before the answer. */
  | { type: 'connected' }
  /** Answered by `agent_loaded` or `agent_failed` with this id. */
  | { type: 'load_agent'; id: number; agentId: number; context: HandoffContext }
  | { type: 'command_outcome'; id: number; outcome: SessionCommandOutcome }
  | ToolRequest;

/** `id` identifies one tool call; the requesting side assigns it. */
export type ToolRequest =
  | {
      type: 'tool_call';
      id: number;
      name: string;
      toolCallId: string;
      args: Record<string, unknown>;
      confirmation?: ToolContext['confirmation'];
    }
  /** Whether the arguments are valid; the result is the list of their problems, or null. */
  | { type: 'tool_check'; id: number; name: string; args: Record<string, unknown> }
  /** The call is over, or the tool's time is. */
  | { type: 'tool_abort'; id: number };

export type ToolResponse =
  /** `ok`: absent: it did not fail. */
  | {
      type: 'tool_result';
      id: number;
      result: unknown;
      ok?: boolean;
      assigned?: readonly AssignedVariable[];
      isPending?: boolean;
    }
  | { type: 'tool_failed'; id: number; code: string; message: string; problems?: string[] }
  /** The tool wants the call to end when the agent has finished speaking. */
  | { type: 'end_call'; id: number }
  /** The agent is to leave when this tool has ended. */
  | { type: 'hand_over'; id: number };
