import type { SecureValues } from '@app/common';
import type { ConversationVariables } from '@app/tools';
import type { AskPolicy } from '@app/voice/guardrails';
import type {
  AgentFlow,
  CheckArguments,
  LazyProvider,
  ProviderChoice,
  RunningFlow,
  SessionEvent,
  SessionSettings,
  VoiceProvider,
  VoiceTool,
} from '@app/voice';

/** The steps of a simulated agent, and the agents that it may hand over to. */
export interface SimulatedFlow {
  flow: AgentFlow;
  Session: RunningFlow['Session'];
  choices: readonly ProviderChoice[];
  parts: ConstructorParameters<typeof LazyProvider>[1];
  /** @throws ToolFailed */
  load: (agentId: number) => Promise<SimulatedAgent>;
}

/** Facts of an operator's tool for the event of its call. */
export interface ToolRunFacts {
  ok: boolean;
  invocation_id: string;
  actions: object[];
}

/** What the tools of one conversation share, those of agents that take over included. */
interface SimulatedState {
  secure: SecureValues;
  variables: ConversationVariables;
}

/** The agent of a scenario. */
export interface SimulatedAgent {
  provider: VoiceProvider;
  fallbacks?: readonly VoiceProvider[];
  settings: SessionSettings;
  /** Absent: one agent without steps. */
  flow?: SimulatedFlow;
  /** The tools that an operator defined; each run reports its facts to `noteRun`. */
  tools: (noteRun: (toolCallId: string, facts: ToolRunFacts) => void, conversation: SimulatedState) => VoiceTool[];
  /** Tools of the service beside those of the session: search of the knowledge bases. */
  others: readonly VoiceTool[];
  /** Gets each event of the conversation, before the tools that follow it run. */
  heard?: (event: SessionEvent) => void;
  /** Adds the tool that transfers the call; in a simulation it never dials. */
  mayTransfer: boolean;
  /** Judges words by the policies of guardrails. */
  askPolicy?: AskPolicy;
  /** Validates the arguments of the tools that an operator defined. */
  checkArguments?: CheckArguments;
}
