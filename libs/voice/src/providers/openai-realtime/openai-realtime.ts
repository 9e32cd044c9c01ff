import type { ProviderKind } from '../provider-kind.js';
import { RealtimeProvider } from './realtime-provider.js';

export const openAiRealtime: ProviderKind = {
  problem({ name, options }, { realtime }) {
    if (!realtime) return `The voice provider ${name} needs OPENAI_API_KEY, or REALTIME_URL for another server.`;
    if (options.model ?? realtime.model) return undefined;
    return `The voice provider ${name} needs a model: the agent's, or REALTIME_MODEL.`;
  },
  open({ name, options }, { settings, clock }) {
    const { url, key, ...defaults } = settings.realtime!;
    const { script: _, ...chosen } = { ...defaults, ...definedOf(options) };
    return new RealtimeProvider({ name, url, key, clock, billing: 'tokens', ...chosen, model: chosen.model! });
  },
};

/** An absent option must not hide a default. */
const definedOf = <T extends object>(options: T): Partial<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
