import type { Log } from '@app/common';
import { type Egress, operatorEgress } from '@app/egress';
import { z } from 'zod';
import type { Embedder } from './embedder.js';
import { settingsForRole } from './embedding-settings.js';
import { HttpEmbedder, type RetryPolicy } from './http-embedder.js';

/** When the role is looked at. */
interface RoleTimes {
  /** While it does not answer: it may be starting, or loading its model. */
  downMs: number;
  /** While it answers: it may have been replaced by one with another model. */
  upMs: number;
  /** Limit of a look. */
  answerMs: number;
  /** A start does not wait longer for the first look. */
  startMs: number;
}

const TIMES: RoleTimes = { downMs: 500, upMs: 30_000, answerMs: 2_000, startMs: 250 };
const MAX_ANSWER_BYTES = 64 * 1024;

const modelList = z.object({
  data: z
    .array(
      z.object({
        id: z.string().min(1),
        dimensions: z.number().int().min(1),
        languages: z.array(z.string()).nullish(),
      }),
    )
    .min(1),
});

/** The model of the role `embedder`, by its `GET /v1/models`. */
interface RoleModel {
  id: string;
  dimensions: number;
  /** Absent: many. */
  languages?: readonly string[];
}

/** Asks the role for its model. Throws if it does not answer, or has no model yet. */
export async function roleModel(egress: Egress, url: string, signal: AbortSignal): Promise<RoleModel> {
  const response = await egress.request(`${url}/v1/models`, {
    method: 'GET',
    headers: { accept: 'application/json' },
    signal,
    totalTimeoutMs: TIMES.answerMs,
    maxBodyBytes: MAX_ANSWER_BYTES,
  });
  if (response.status !== 200) throw new Error(`The role embedder answered ${response.status}.`);
  const [model] = modelList.parse(JSON.parse(response.body.toString('utf8'))).data;
  const { id, dimensions, languages } = model!;
  return { id, dimensions, ...(languages && { languages }) };
}

/**
 * The connection to the role `embedder`. A process starts without the role, uses it as soon as it answers, and learns from it which
 * model it runs; while it does not answer, nothing is sent to it, and documents and searches are those of a service without an embedder.
 */
export class EmbedderRole {
  private readonly egress = operatorEgress();
  private readonly closing = new AbortController();
  private current: HttpEmbedder | undefined;
  private isUp = false;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private readonly times: RoleTimes;

  /** @param url without a path. */
  constructor(
    private readonly url: string,
    private readonly log: Log,
    private readonly retries?: RetryPolicy,
    times?: Partial<RoleTimes>,
  ) {
    this.times = { ...TIMES, ...times };
  }

  /** Undefined while the role does not answer. */
  get embedder(): Embedder | undefined {
    return this.isUp ? this.current : undefined;
  }

  /** Looks for the role, and goes on looking in the background. Never throws. */
  async open(): Promise<void> {
    const waited = new Promise((resolve) => setTimeout(resolve, this.times.startMs).unref());
    await Promise.race([this.look(), waited]);
    if (!this.current)
      this.log.info({ url: this.url }, 'the embedder does not answer yet; until then, search is by words alone');
  }

  async close(): Promise<void> {
    this.closing.abort(new Error('The process ends.'));
    clearTimeout(this.timer);
    await this.looking;
    await this.current?.close();
    await this.egress.close();
  }

  /** One look at a time; the next one is scheduled. */
  private look(): Promise<void> {
    clearTimeout(this.timer);
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
      if (this.closing.signal.aborted) return;
      this.timer = setTimeout(() => void this.look(), this.isUp ? this.times.upMs : this.times.downMs).unref();
    });
    return this.looking;
  }

  private async lookOnce(): Promise<void> {
    try {
      this.onAnswer(await roleModel(this.egress, this.url, this.closing.signal));
    } catch (error) {
      this.onSilence(error);
    }
  }

  private onAnswer(model: RoleModel): void {
    const settings = settingsForRole({ url: this.url }, model);
    const name = `${model.id}@${model.dimensions}`;
    if (this.current?.model !== name) {
      void this.current?.close();
      this.current = new HttpEmbedder(settings, this.retries, () => void this.look());
      this.log.info({ provider: 'embedder', model: name }, 'semantic search of knowledge bases is enabled');
    } else if (!this.isUp) {
      this.current.resume();
      this.log.info({ model: name }, 'the embedder answers again');
    }
    this.isUp = true;
  }

  private onSilence(err: unknown): void {
    if (this.closing.signal.aborted) return;
    if (this.isUp)
      this.log.warn({ err, url: this.url }, 'the embedder does not answer; until then, search is by words alone');
    this.isUp = false;
  }
}
