/** Whose words a rule judges. `tool`: the arguments of a tool, before it runs. */
export type GuardrailSide = 'user' | 'agent' | 'tool';

export type GuardrailAction = 'block' | 'replace' | 'say' | 'transfer' | 'end' | 'flag';

/** A rule of an agent; exactly one of `pattern`, `topics` and `policy`. Plain data: it is sent to threads. */
export interface Guardrail {
  name: string;
  on: GuardrailSide;
  action: GuardrailAction;
  /** A regular expression (RE2), matched without regard to case. */
  pattern?: string;
  /** Words and phrases, compared by word stems. */
  topics?: readonly string[];
  /** A sentence that the text model of the installation judges. */
  policy?: string;
  /** When the model gives no verdict in time. */
  onTimeout?: 'allow' | 'block';
  /** What `replace` and `say` speak; optional for `block` of a tool, `transfer` and `end`. */
  text?: string;
}

/** Decides which rules apply to words. */
export interface GuardrailJudge {
  /** Rules with a pattern or topics, in their order. */
  match(on: GuardrailSide, words: string): Guardrail[];
  hasPolicies(on: GuardrailSide): boolean;
  /** Rules with a policy, in their order; resolves within the deadline of a verdict, and never rejects. */
  violated(on: GuardrailSide, words: string, signal: AbortSignal): Promise<Guardrail[]>;
}

/** These actions keep words from being heard, or a tool from running; `say` does so for a user or a tool. */
export const stops = ({ on, action }: Pick<Guardrail, 'on' | 'action'>): boolean =>
  action !== 'flag' && !(on === 'agent' && action === 'say');
