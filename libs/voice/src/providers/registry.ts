import type { Clock } from '../clock.js';
import { ScriptInvalid, scriptProblems } from '../sandbox-server/script.js';
import type { Speech } from '../speech/speech.js';
import { LiveProvider } from './openai-live/live-provider.js';
import { RealtimeProvider } from './openai-realtime/realtime-provider.js';
import type { ProviderChoice, ProviderSettings } from './provider-settings.js';
import { SandboxProvider } from './sandbox-provider.js';
import { ProviderUnavailable, type VoiceProvider } from './voice-provider.js';

interface ProviderParts {
  speech: Speech;
  clock: Clock;
  settings: ProviderSettings;
}

interface Kind {
  /** The reason why it cannot be used with these settings, as a sentence; undefined: usable. */
  problem(wanted: ProviderChoice, settings: ProviderSettings): string | undefined;
  /** Only after `problem` returned undefined. */
  open(wanted: ProviderChoice, parts: ProviderParts): VoiceProvider;
}

const KINDS = new Map<string, Kind>([
  ['sandbox', { problem: problemOfScript, open: openSandbox }],
  ['openai-realtime', { problem: realtimeProblem, open: openRealtime }],
  ['openai-live', { problem: liveProblem, open: openLive }],
]);

/** The provider of an entry. Throws ProviderUnavailable when it is unknown or not configured. */
export function providerFor(wanted: ProviderChoice, parts: ProviderParts): VoiceProvider {
  const problem = providerProblem(wanted, parts.settings);
  if (problem !== undefined) throw new ProviderUnavailable(problem);
  return KINDS.get(wanted.name)!.open(wanted, parts);
}

/** The first one speaks, the others take over in order. */
export interface AgentProviders {
  provider: VoiceProvider;
  fallbacks: VoiceProvider[];
  /** The unusable entries of the list, with their reasons. */
  unavailable: ProviderUnavailable[];
}

/** The usable providers of an agent, in order. Throws ProviderUnavailable when there is none. */
export function providersFor(wanted: readonly ProviderChoice[], parts: ProviderParts): AgentProviders {
  const unavailable: ProviderUnavailable[] = [];
  const usable = wanted.flatMap((one) => {
    try {
      return [providerFor(one, parts)];
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      unavailable.push(error);
      return [];
    }
  });
  const [provider, ...fallbacks] = usable;
  if (provider) return { provider, fallbacks, unavailable };
  throw unavailable[0] ?? new ProviderUnavailable('An agent needs a voice provider.');
}

/** The reason why a provider cannot be used with these settings, as a sentence; undefined: usable. */
export function providerProblem(wanted: ProviderChoice, settings: ProviderSettings): string | undefined {
  const kind = KINDS.get(wanted.name);
  if (kind) return kind.problem(wanted, settings);
  const known = [...KINDS.keys()].join(', ');
  return `The voice provider "${wanted.name}" is not available here. Available: ${known}.`;
}

function realtimeProblem({ name, options }: ProviderChoice, { realtime }: ProviderSettings): string | undefined {
  if (!realtime) return `The voice provider ${name} needs OPENAI_API_KEY, or REALTIME_URL for another server.`;
  if (options.model ?? realtime.model) return undefined;
  return `The voice provider ${name} needs a model: the agent's, or REALTIME_MODEL.`;
}

function problemOfScript({ options: { script } }: ProviderChoice): string | undefined {
  const problems = script === undefined ? [] : scriptProblems(script);
  return problems.length > 0 ? new ScriptInvalid(problems).message : undefined;
}

function openSandbox({ options }: ProviderChoice, { speech, clock, settings }: ProviderParts): VoiceProvider {
  if (!settings.sandbox) throw new ProviderUnavailable('The sandbox server does not run here.');
  return new SandboxProvider({ server: settings.sandbox, script: options.script, speech, clock });
}

function openRealtime({ name, options }: ProviderChoice, { settings, clock }: ProviderParts): VoiceProvider {
  const { url, key, ...defaults } = settings.realtime!;
  const { script: _, ...chosen } = { ...defaults, ...definedOf(options) };
  return new RealtimeProvider({ name, url, key, clock, billing: 'tokens', ...chosen, model: chosen.model! });
}

function liveProblem({ name, options }: ProviderChoice, { live }: ProviderSettings): string | undefined {
  if (!live) return `The voice provider ${name} needs OPENAI_API_KEY.`;
  if (!(options.model ?? live.model)) return `The voice provider ${name} needs a model: the agent's, or LIVE_MODEL.`;
  if (live.backendModel) return undefined;
  return `The voice provider ${name} needs a model that calls the tools: LIVE_BACKEND_MODEL.`;
}

function openLive({ name, options }: ProviderChoice, { settings, clock }: ProviderParts): VoiceProvider {
  const { url, key, backendModel, model, voice } = settings.live!;
  const chosen = { model: options.model ?? model!, voice: options.voice ?? voice };
  return new LiveProvider({ name, url, key, clock, backendModel: backendModel!, ...chosen });
}

/** An undefined option must not hide a default. */
const definedOf = <T extends object>(options: T): Partial<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
