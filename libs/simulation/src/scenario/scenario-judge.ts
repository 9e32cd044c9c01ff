import type { GuardrailJudge, SessionSettings } from '@app/voice';
import { type AskPolicy, GuardrailRules } from '@app/voice/guardrails';

/** The judge of a simulated agent's rules. `during`: marks pending work, so that the clock of a text conversation waits. */
export function judgeOf(
  { settings, askPolicy }: { settings: SessionSettings; askPolicy?: AskPolicy },
  during: (verdict: Promise<boolean>) => Promise<boolean>,
): { judge?: GuardrailJudge } {
  const { guardrails = [], agent } = settings;
  if (guardrails.length === 0) return {};
  const ask = askPolicy ?? (() => Promise.reject(new Error('No text model judges policies here.')));
  const asked: typeof ask = (...question) => during(ask(...question));
  return { judge: new GuardrailRules(guardrails, agent.language, asked) };
}
