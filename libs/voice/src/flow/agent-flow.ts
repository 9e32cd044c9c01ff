import type { Flow, HandoffContext } from '@app/flow';
import type { GuardrailJudge } from '../guardrails/guardrail.js';
import type { ProviderChoice } from '../providers/provider-settings.js';
import type { AgentProfile, HistoryTurn, VoiceProvider } from '../providers/voice-provider.js';
import type { VoiceTool } from '../tools/tool-box.js';

/** An agent that the model may hand the call over to. */
export interface HandoffTarget {
  agentId: number;
  name: string;
  /** Describes the situation, for the model. */
  when: string;
  context: HandoffContext;
}

/** The steps of an agent, and the agents that it may hand over to; plain data that can be sent to threads. */
export interface AgentFlow {
  agentId: number;
  /** Absent: one conversation without steps. Its texts contain no placeholders but those of collected values. */
  flow?: Flow;
  handoffs: HandoffTarget[];
  /** The variables of the call, for expressions. */
  variables: Record<string, unknown>;
  /** Names of the tools that a step may leave out. */
  ownTools: string[];
}

/** Model and voice of a step. */
export interface StepStyle {
  model?: string;
  voice?: string;
}

export interface SpeakingProviders {
  provider: VoiceProvider;
  fallbacks: readonly VoiceProvider[];
}

/** An agent that takes over a conversation. */
export interface NextAgent {
  agent: AgentProfile;
  /** All of its tools, those of the session included. */
  tools: VoiceTool[];
  flow: AgentFlow;
  /** Of its rules; absent: it has none. */
  judge?: GuardrailJudge;
  /** The conversation so far; absent: it is not wanted. */
  summary?: string;
  openProviders: (style: StepStyle) => SpeakingProviders;
}

/** Gives a session what it cannot know: other agents, and its own agent with another model or voice. */
export interface FlowSource {
  flow: AgentFlow;
  openProviders: (style: StepStyle) => SpeakingProviders;
  /** Reads another agent of the account. @throws ToolFailed */
  loadAgent: (agentId: number, context: HandoffContext) => Promise<NextAgent>;
}

/** The choice with the model and the voice of a step; of a pipeline, those of its first legs. */
export function styledChoice({ name, options }: ProviderChoice, { model, voice }: StepStyle): ProviderChoice {
  if (model === undefined && voice === undefined) return { name, options };
  if (name !== 'pipeline') return { name, options: { ...options, ...(model && { model }), ...(voice && { voice }) } };
  const { pipeline = {} } = options;
  return {
    name,
    options: {
      ...options,
      pipeline: {
        ...pipeline,
        ...(model && pipeline.model && { model: { ...pipeline.model, model } }),
        ...(voice && pipeline.synthesizer && { synthesizer: { ...pipeline.synthesizer, voice } }),
      },
    },
  };
}

/** What the agent that takes over has of the conversation. */
export type Inherited = { keepsHistory: true } | { keepsHistory: false; turns: HistoryTurn[] };
