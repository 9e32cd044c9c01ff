import type { SessionSettings } from '../session-options.js';
import type { GuardrailJudge } from './guardrail.js';
import type { AskPolicy } from './guardrail-rules.js';

/** The judge of an agent's rules; undefined: it has none, and their code is not loaded, as in most threads of calls. */
export async function openJudge(
  { guardrails = [], agent }: Pick<SessionSettings, 'guardrails' | 'agent'>,
  ask: AskPolicy,
): Promise<GuardrailJudge | undefined> {
  if (guardrails.length === 0) return undefined;
  const { GuardrailRules } = await import('./guardrail-rules.js');
  return new GuardrailRules(guardrails, agent.language, ask);
}
