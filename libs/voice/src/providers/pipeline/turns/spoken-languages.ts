import type { AgentProfile } from '../../voice-provider.js';
import type { PipelineOptions } from '../pipeline-options.js';

const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

/** All languages that the user may speak, the agent's first. */
export function languagesOf({ language }: AgentProfile, { languages = [] }: PipelineOptions): string[] {
  return [...new Set(language === undefined ? languages : [language, ...languages])];
}

/** The language of the agent, which follows that of the user as far as the agent speaks it. */
export class SpokenLanguage {
  private tag: string | undefined;

  constructor(
    private readonly agent: AgentProfile,
    private readonly options: PipelineOptions,
  ) {
    this.tag = agent.language;
  }

  /** BCP 47. */
  get current(): string | undefined {
    return this.tag;
  }

  /** The user spoke this language. */
  heard(detected: string): void {
    const known = languagesOf(this.agent, this.options);
    this.tag =
      known.find((tag) => tag.toLowerCase() === detected.toLowerCase()) ??
      known.find((tag) => base(tag) === base(detected)) ??
      this.tag;
  }
}

/** The voice of the agent speaks only these languages, so the model must not choose another one. */
export function instructionsOf(agent: AgentProfile, options: PipelineOptions): string {
  const [first, ...others] = languagesOf(agent, options).map(nameOf);
  if (first === undefined) return agent.instructions;
  const change = others.length > 0 ? ` Answer in the language of the caller if it is ${others.join(' or ')}.` : '';
  return [agent.instructions, `Speak ${first}.${change}`].filter(Boolean).join('\n\n');
}

const base = (tag: string): string => tag.toLowerCase().split('-')[0]!;

function nameOf(tag: string): string {
  try {
    return NAMES.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
