import type { AgentSettings } from '../api/types.js';

export type Pipeline = NonNullable<AgentSettings['pipeline']>;
type LegName = 'transcriber' | 'model' | 'synthesizer';

/** The settings that the form has fields for; the JSON field holds the others. */
const FIELDS = {
  transcriber: ['provider', 'model'],
  model: ['provider', 'model', 'reasoning_effort'],
  synthesizer: ['provider', 'model', 'voice'],
  turns: ['after_punctuation_ms', 'without_punctuation_ms', 'longest_ms', 'speculation'],
} as const satisfies Record<LegName | 'turns', readonly string[]>;

type Settings = Record<string, unknown>;

const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutUndefined = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

/** The settings of a pipeline without fields of their own; undefined: none. */
export function otherSettings(pipeline: Pipeline | null | undefined): Settings | undefined {
  const others = Object.entries(pipeline ?? {}).flatMap(([key, value]): [string, unknown][] => {
    const shown: readonly string[] = FIELDS[key as keyof typeof FIELDS] ?? [];
    if (!isSettings(value)) return [[key, value]];
    const rest = Object.entries(value).filter(([name]) => !shown.includes(name));
    return rest.length === 0 ? [] : [[key, Object.fromEntries(rest)]];
  });
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

/**
 * The pipeline of the fields and the JSON field. `valueOf` returns the value of a field such as `pipeline.transcriber.model`, undefined if
 * it is empty.
 */
export function pipelineOf(valueOf: (field: string) => unknown, others: unknown): Settings {
  const given = isSettings(others) ? others : {};
  const maps = Object.entries(FIELDS).flatMap(([key, names]): [string, Settings][] => {
    const typed = Object.fromEntries(names.map((name) => [name, valueOf(`pipeline.${key}.${name}`)]));
    const own = given[key];
    const whole = withoutUndefined({ ...(isSettings(own) ? own : {}), ...typed });
    return Object.keys(whole).length === 0 ? [] : [[key, whole]];
  });
  return { ...given, ...Object.fromEntries(maps) };
}
