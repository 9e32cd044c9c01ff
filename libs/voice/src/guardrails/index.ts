export { type AskPolicy, caseless, GuardrailRules } from './guardrail-rules.js';
