import { SandboxServer } from '@app/sandbox';
import { FormantVoice } from '@app/sandbox/formant';
import { Speech, Synthesiser } from '@app/voice';
import { createHash } from 'node:crypto';

/** The providers of agents. */
export const PROVIDERS = ['sandbox', 'pipeline', 'openai-realtime', 'openai-live', 'gemini-live'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** The providers whose vendor hears and speaks in one model. */
export const SPEECH_TO_SPEECH = PROVIDERS.slice(2);

const LEGS = ['DEEPGRAM', 'ELEVENLABS', 'OPENAI'];

/**
 * A server that plays the vendors of all providers by scripts; as far as the service knows it is somebody else's, with a key of its own.
 * The legs of pipelines are played by the sandbox server of the service.
 */
export class PlayedVendors {
  private constructor(private readonly server: SandboxServer) {}

  static async start(): Promise<PlayedVendors> {
    const speech = new Speech(new Synthesiser([new FormantVoice()]));
    return new PlayedVendors(await SandboxServer.start({ speech }));
  }

  /** The environment of a service that uses them. */
  get env(): Record<string, string> {
    const { key, port, url } = this.server;
    return {
      ...Object.fromEntries(LEGS.map((name) => [`${name}_URL`, 'sandbox'])),
      REALTIME_URL: url,
      REALTIME_API_KEY: key,
      LIVE_URL: `ws://127.0.0.1:${port}/v1/live/sessions`,
      LIVE_BACKEND_MODEL: 'backend',
      OPENAI_API_KEY: key,
      GEMINI_BASE_URL: `ws://127.0.0.1:${port}/`,
      GEMINI_API_KEY: key,
    };
  }

  /** The settings of an agent that plays the script with the provider. */
  async agent(provider: ProviderName, script: object): Promise<object> {
    if (provider === 'sandbox' || provider === 'pipeline') return { provider, script };
    const body = JSON.stringify(script);
    const id = createHash('sha256').update(body).digest('hex');
    const { key, port } = this.server;
    const url = `http://127.0.0.1:${port}/v1/scripts/${id}`;
    const answer = await fetch(url, { method: 'PUT', body, headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`The script was refused: ${await answer.text()}`);
    return { provider, model: `script-${id}` };
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
