export { type AskPolicy, caseless, GuardrailRules, POLICY_DEADLINE_MS } from './guardrail-rules.js';
