/** What may be found. The names are stored and shown: `[card]`. */
export const SECRET_KINDS = [
  'card',
  'iban',
  'email',
  'phone',
  'national_id',
  'date_of_birth',
  'ip_address',
  'spoken_digits',
  'password',
] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/** A pattern of the account: ECMAScript syntax without look-around and back-references. */
export interface CustomPattern {
  /** Stands in the place of what it finds: `[name]`. */
  name: string;
  pattern: string;
}

/** What is removed from everything that is stored about calls. */
export interface Redaction {
  kinds: SecretKind[];
  custom: CustomPattern[];
  /** The same parts of recordings are silent. */
  audio: boolean;
}

/** The agent adds to its account. Null: nothing is redacted. */
export function mergeRedaction(account: Redaction | null, agent: Redaction | null): Redaction | null {
  if (!account || !agent) return account ?? agent;
  const named = new Map([...account.custom, ...agent.custom].map((one) => [`${one.name}\0${one.pattern}`, one]));
  return {
    kinds: SECRET_KINDS.filter((kind) => account.kinds.includes(kind) || agent.kinds.includes(kind)),
    custom: [...named.values()],
    audio: account.audio || agent.audio,
  };
}
