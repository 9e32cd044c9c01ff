import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENCE_MS } from './eventually.js';

export interface EmbeddingsRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: { model: string; input: string[]; encoding_format?: string; dimensions?: number };
}

/** Responds instead of the endpoint; returns false to use the normal response. */
export type EmbeddingsFault = (request: EmbeddingsRequest, response: ServerResponse) => boolean;

/**
 * An OpenAI-compatible embeddings endpoint on loopback. Vectors are built by hashing words, so that texts with the same words are
 * near each other; `concepts` maps several words to one meaning ({ cancel: 'end', terminate: 'end' }).
 */
export class EmbeddingsEndpoint {
  readonly requests: EmbeddingsRequest[] = [];
  /** Called for each request in turn; a fault that was used is removed. */
  faults: EmbeddingsFault[] = [];
  dimensions = 64;
  concepts: Record<string, string> = {};
  /** As the role embedder: the answer to `GET /v1/models`. */
  model = { id: 'ours', dimensions: 64, languages: null as string[] | null };
  /** Current number of requests, and its maximum. */
  open = 0;
  mostOpen = 0;
  private readonly arrivals = new EventEmitter();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.mostOpen = Math.max(this.mostOpen, ++this.open);
      response.on('close', () => this.open--);
      if (request.method === 'GET') {
        response.end(JSON.stringify({ object: 'list', data: [this.model] }));
        return;
      }
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as EmbeddingsRequest['body'];
        this.take({ path: request.url ?? '', headers: request.headers, body }, response);
      });
    });
  }

  static async start(): Promise<EmbeddingsEndpoint> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new EmbeddingsEndpoint(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  get texts(): string[] {
    return this.requests.flatMap(({ body }) => body.input);
  }

  async until(
    predicate: (requests: EmbeddingsRequest[]) => boolean,
    signal = AbortSignal.timeout(PATIENCE_MS),
  ): Promise<void> {
    while (!predicate(this.requests)) await once(this.arrivals, 'arrival', { signal });
  }

  /** The vector that the endpoint returns for a text. */
  vectorOf(text: string, dimensions = this.dimensions): Float32Array {
    const vector = new Float32Array(dimensions);
    for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
      const hash = createHash('sha256')
        .update(this.concepts[word] ?? word)
        .digest();
      for (let i = 0; i < 8; i++) {
        const place = hash.readUInt16LE(i * 2) % dimensions;
        vector[place] = (vector[place] ?? 0) + ((hash[16 + i] ?? 0) & 1 ? 1 : -1);
      }
    }
    return vector;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(request: EmbeddingsRequest, response: ServerResponse): void {
    this.requests.push(request);
    const fault = this.faults.shift();
    if (!fault?.(request, response)) this.answer(request, response);
    this.arrivals.emit('arrival');
  }

  answer({ body }: EmbeddingsRequest, response: ServerResponse): void {
    const data = body.input.map((text, index) => {
      const vector = this.vectorOf(text, body.dimensions ?? this.dimensions);
      const bytes = Buffer.from(vector.buffer).toString('base64');
      return { object: 'embedding', index, embedding: body.encoding_format === 'base64' ? bytes : [...vector] };
    });
    response.setHeader('content-type', 'application/json');
    // In reverse order: `index` identifies the text.
    response.end(JSON.stringify({ object: 'list', model: body.model, data: data.toReversed() }));
  }
}

export const answers =
  (status: number, headers: Record<string, string> = {}, body = '{"error":{"code":"some_code"}}'): EmbeddingsFault =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };

/** Closes the connection in the middle of the response. */
export const isCut: EmbeddingsFault = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"data":');
  setImmediate(() => response.destroy());
  return true;
};

/** Never responds. */
export const isSilent: EmbeddingsFault = () => true;
