import type { AgentOverrides } from '../schemas/agent-schema.js';
import type { StoredAnsweringMachine, StoredConversation, StoredProviderOptions } from '../agent.entity.js';

/** The settings of an agent, or of one of its versions, that a call may override. */
interface OverridableSettings {
  provider: string;
  provider_options: StoredProviderOptions;
  instructions: string;
  greeting: string;
  max_call_seconds: number;
  answering_machine: StoredAnsweringMachine | null;
  conversation: StoredConversation | null;
}

/** The settings of one call: absent and null overrides keep those of the agent. */
export function withOverrides<T extends OverridableSettings>(
  settings: T,
  overrides: Omit<AgentOverrides, 'knowledge_base_ids'> | undefined,
): T {
  if (!overrides) return settings;
  const { greeting, instructions, voice, language, max_call_seconds: seconds, answering_machine: machine } = overrides;
  return {
    ...settings,
    greeting: greeting ?? settings.greeting,
    instructions: instructionsOf(settings.instructions, instructions),
    provider_options: voice ? withVoice(settings, voice) : settings.provider_options,
    conversation: language ? { ...settings.conversation, language } : settings.conversation,
    max_call_seconds: seconds ?? settings.max_call_seconds,
    answering_machine: machine ?? settings.answering_machine,
  };
}

/** The voice of the first provider; of a pipeline, that of its first synthesizer. */
function withVoice({ provider, provider_options: options }: OverridableSettings, voice: string): StoredProviderOptions {
  if (provider !== 'pipeline') return { ...options, voice };
  const synthesizer = { provider: 'sandbox' as const, ...options.pipeline?.synthesizer, voice };
  return { ...options, pipeline: { ...options.pipeline, synthesizer } };
}

function instructionsOf(own: string, override: AgentOverrides['instructions']): string {
  if (override === undefined || override === null) return own;
  return typeof override === 'string' ? override : [own, override.append].filter((text) => text !== '').join('\n\n');
}
