import { Agent, request } from 'node:http';
import { placed, type Values } from './placeholders.js';

/** A request whose ids, tokens and long texts are placeholders. */
export interface StoredRequest {
  method: string;
  /** With the query, escaped as on the wire. */
  path: string;
  headers: Record<string, string>;
  /** Absent: no body. */
  body?: string;
  /** In base64, for a body that is not UTF-8. */
  bytes?: string;
}

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** One line of a file in `pairs`. */
export interface Pair {
  /** The operation of openapi.json, such as `POST /api/v1/calls`; `(no route)`: there is none. */
  route: string;
  /** What is wrong with the request. */
  case: string;
  request: StoredRequest;
  answer: StoredAnswer;
}

/** Headers that belong to the contract, with their values. */
const COMPARED = ['content-type', 'www-authenticate', 'allow', 'content-range', 'trunkline-ignored-fields'];
/** Headers that belong to the contract, whose values differ from answer to answer. */
const PRESENT = ['retry-after', 'x-request-id'];

/** The service bounds how many of these an account may have at once (429), or lets them wait for each other. */
const isAlone = ({ method, path, headers }: StoredRequest): boolean =>
  headers['content-type']?.startsWith('multipart/') === true ||
  path.includes('/mcp-servers') ||
  (method === 'POST' && path.includes('/contacts'));

/** Sends stored requests to one service and reduces the answers to what belongs to the contract. */
export class Exchange {
  private readonly agent: Agent;

  constructor(
    private readonly baseUrl: string,
    readonly concurrency = 24,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  }

  close(): void {
    this.agent.destroy();
  }

  /** Sends the requests in their order, `concurrency` at a time. @returns the answers in the same order */
  async sendAll(requests: readonly StoredRequest[], values: Values): Promise<StoredAnswer[]> {
    const answers: StoredAnswer[] = [];
    const all = [...requests.entries()];
    const alone = all.filter(([, one]) => isAlone(one)).values();
    const others = all.filter(([, one]) => !isAlone(one)).values();
    const sender = async (waiting: Iterable<[number, StoredRequest]>): Promise<void> => {
      for (const [index, one] of waiting) answers[index] = await this.send(one, values);
    };
    await Promise.all([sender(alone), ...Array.from({ length: this.concurrency }, () => sender(others))]);
    return answers;
  }

  async send({ method, path, headers, body, bytes }: StoredRequest, values: Values): Promise<StoredAnswer> {
    const filled = Object.entries(headers).map(([name, value]) => [name, placed(value, values)]);
    const sent = bytes === undefined ? body && placed(body, values) : Buffer.from(bytes, 'base64');
    return new Promise((resolve, reject) => {
      const outgoing = request(this.baseUrl, {
        agent: this.agent,
        method,
        path: placed(path, values),
        headers: Object.fromEntries(filled) as Record<string, string>,
      });
      outgoing.once('error', (cause) => reject(new Error(`${method} ${path} got no answer.`, { cause })));
      outgoing.once('response', (response) => {
        const chunks: Buffer[] = [];
        const answer = () =>
          resolve(reduce(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString()));
        // A stream of events does not end.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          answer();
          response.destroy();
          return;
        }
        response
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .once('end', answer)
          .once('error', reject);
      });
      outgoing.end(sent);
    });
  }
}

function reduce(status: number, all: Record<string, string | string[] | undefined>, body: string): StoredAnswer {
  const headers: Record<string, string> = {};
  for (const name of COMPARED) if (all[name] !== undefined) headers[name] = String(all[name]);
  for (const name of PRESENT) if (all[name] !== undefined) headers[name] = '{{any}}';
  const id = all['x-request-id'];
  return { status, headers, body: typeof id === 'string' ? body.replaceAll(id, '{{request_id}}') : body };
}
