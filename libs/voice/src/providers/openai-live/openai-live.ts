import type { ProviderKind } from '../provider-kind.js';
import { LiveProvider } from './live-provider.js';

export const openAiLive: ProviderKind = {
  problem({ name, options }, { live }) {
    if (!live) return `The voice provider ${name} needs OPENAI_API_KEY.`;
    if (!(options.model ?? live.model)) return `The voice provider ${name} needs a model: the agent's, or LIVE_MODEL.`;
    if (live.backendModel) return undefined;
    return `The voice provider ${name} needs a model that calls the tools: LIVE_BACKEND_MODEL.`;
  },
  open({ name, options }, { settings, clock }) {
    const { url, key, backendModel, model, voice } = settings.live!;
    const chosen = { model: options.model ?? model!, voice: options.voice ?? voice };
    return new LiveProvider({ name, url, key, clock, backendModel: backendModel!, ...chosen });
  },
};
