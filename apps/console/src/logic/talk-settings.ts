/** Fields of the editor that a single call can override; all others need a stored draft. */
const OVERRIDES = ['greeting', 'instructions', 'voice', 'max_call_seconds'] as const;
/** Fields that a talk in the browser does not use. */
const UNUSED = /^(name|active|answering_machine|ring_timeout_seconds|scenarios|publish_requires)\b/;

/** With which settings an agent is tried: the published ones, those with overrides, or a draft that has to be stored. */
export type TalkSettings =
  | { kind: 'published' }
  | { kind: 'overrides'; overrides: Partial<Record<(typeof OVERRIDES)[number], unknown>> }
  | { kind: 'draft' };

/**
 * The smallest way to use what the editor shows.
 * @param changed names of the edited fields of the form
 * @param body what the form would save
 */
export function talkSettings(changed: readonly string[], body: Readonly<Record<string, unknown>>): TalkSettings {
  const used = changed.filter((name) => !UNUSED.test(name));
  if (used.length === 0) return { kind: 'published' };
  const names = OVERRIDES.filter((name) => used.includes(name));
  // Null keeps the setting of the agent, so a setting that was emptied needs a draft.
  if (names.length < used.length || names.some((name) => body[name] === null || body[name] === undefined))
    return { kind: 'draft' };
  return { kind: 'overrides', overrides: Object.fromEntries(names.map((name) => [name, body[name]])) };
}
