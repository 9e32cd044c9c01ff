import type { EmbeddingsEnv } from '@app/common';
import { operatorEgress } from '@app/egress';
import { roleModel } from './embedder-role.js';
import { embeddingSettings, type HttpSettings, isRole, settingsForRole } from './embedding-settings.js';
import { HttpEmbedder } from './http-embedder.js';

/** An embedder that has answered a question. */
interface ProbedEmbedder {
  provider: string;
  /** Name and dimensions. */
  model: string;
  /** ISO 639-1 codes of the only languages that get vectors; absent: all. */
  languages?: readonly string[];
  /** Time of the question in ms. */
  ms: number;
}

const QUESTION = 'How long do I have to return something?';

/**
 * Asks the embedder of these settings one question; undefined: none is configured. Throws MissingSetting, EmbeddingsUnavailable,
 * EmbeddingsRefused, or the error of the connection to the role.
 */
export async function probeEmbedder(env: EmbeddingsEnv, signal: AbortSignal): Promise<ProbedEmbedder | undefined> {
  const configured = embeddingSettings(env);
  if (!configured) return undefined;
  const settings = isRole(configured) ? await settingsOfRole(configured.url, signal) : configured;
  const embedder = new HttpEmbedder(settings);
  try {
    const began = performance.now();
    await embedder.embedQuery(QUESTION, signal);
    const ms = Math.round(performance.now() - began);
    const { languages } = settings.facts;
    return { provider: settings.provider, model: embedder.model, ...(languages && { languages }), ms };
  } finally {
    await embedder.close();
  }
}

async function settingsOfRole(url: string, signal: AbortSignal): Promise<HttpSettings> {
  const egress = operatorEgress();
  try {
    return settingsForRole({ url }, await roleModel(egress, url, signal));
  } finally {
    await egress.close();
  }
}
