export const SCOPES = [
  'agents:read',
  'audit:read',
  'calls:read',
  'calls:write',
  'knowledge:read',
  'knowledge:write',
  'numbers:read',
  'tokens:read',
  'tokens:write',
  'tools:read',
  'tools:write',
  'trunks:read',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

/** `calls:read,calls:write`, or `*` for all. Throws a sentence that lists the scopes when one is unknown. */
export function parseScopes(text: string): Scope[] {
  const names = text
    .split(/[\s,]+/)
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.includes('*')) return [...SCOPES];
  const unknown = names.filter((name) => !isScope(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new Error(`Unknown scope ${unknown.join(', ') || "''"}. The scopes are ${SCOPES.join(', ')}; * means all.`);
  }
  return [...new Set(names.filter(isScope))];
}
