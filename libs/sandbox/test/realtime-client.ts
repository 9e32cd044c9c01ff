import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { SandboxServer } from '../src/server/sandbox-server.js';
import { scriptId } from '../src/server/script.js';

/** A received event. */
interface Seen {
  type: string;
  [field: string]: unknown;
}

export const MULAW_SESSION = {
  type: 'realtime',
  audio: {
    input: { format: { type: 'audio/pcmu' }, turn_detection: { type: 'server_vad' } },
    output: { format: { type: 'audio/pcmu' } },
  },
};

/** A client of the Realtime protocol that exposes every event. */
export class RealtimeClient {
  readonly seen: Seen[] = [];
  private waiting: (() => void)[] = [];
  ended = false;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.take(data.toString()));
    socket.on('close', () => {
      this.ended = true;
      this.wake();
    });
    socket.on('error', () => undefined);
  }

  static async open(server: SandboxServer, query = 'model=sandbox', key = server.key): Promise<RealtimeClient> {
    const socket = new WebSocket(`${server.url}?${query}`, { headers: { authorization: `Bearer ${key}` } });
    const client = new RealtimeClient(socket);
    await Promise.race([
      once(socket, 'open'),
      once(socket, 'unexpected-response').then(([, response]) => {
        throw new Error(`refused with ${(response as { statusCode: number }).statusCode}`);
      }),
    ]);
    return client;
  }

  send(event: Record<string, unknown>): void {
    this.sendRaw(JSON.stringify(event));
  }

  sendRaw(text: string): void {
    this.socket.send(text);
  }

  /** The caller's speech, with the silence that ends it. */
  speak(audio: Buffer): void {
    const whole = Buffer.concat([Buffer.alloc(1_600, 0xff), audio, Buffer.alloc(6_400, 0xff)]);
    this.send({ type: 'input_audio_buffer.append', audio: whole.toString('base64') });
  }

  write(text: string): void {
    const content = [{ type: 'input_text', text }];
    this.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  }

  /** The nth event of this type. */
  event(type: string, nth = 1): Promise<Seen> {
    return this.among(type, (events) => events[nth - 1]);
  }

  /** The first event of this type that contains the text. */
  eventWith(type: string, text: string): Promise<Seen> {
    return this.among(type, (events) => events.find((event) => JSON.stringify(event).includes(text)));
  }

  private async among(type: string, choose: (events: Seen[]) => Seen | undefined): Promise<Seen> {
    for (;;) {
      const found = choose(this.seen.filter((event) => event.type === type));
      if (found) return found;
      if (this.ended) throw new Error(`The connection ended before ${type} came; ${this.types().join(', ')}`);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Requests a response and waits for its end; returns its text and the called tools. */
  async respond(response?: Record<string, unknown>): Promise<{ said: string; calls: Record<string, unknown>[] }> {
    const nth = this.seen.filter(({ type }) => type === 'response.done').length + 1;
    this.send({ type: 'response.create', response });
    return spoken(await this.event('response.done', nth));
  }

  types(): string[] {
    return this.seen.map(({ type }) => type);
  }

  async closed(): Promise<void> {
    while (!this.ended) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  close(): void {
    this.socket.terminate();
  }

  private take(text: string): void {
    try {
      this.seen.push(JSON.parse(text) as Seen);
    } catch {
      this.seen.push({ type: 'garbage' });
    }
    this.wake();
  }

  private wake(): void {
    this.waiting.splice(0).forEach((resolve) => resolve());
  }
}

interface OutputItem {
  type: string;
  name?: string;
  call_id?: string;
  arguments?: string;
  content?: { transcript?: string; text?: string }[];
}

/** The text and the tool calls of a `response.done`. */
function spoken({ response }: Seen): { said: string; calls: Record<string, unknown>[] } {
  const { output } = response as { output: OutputItem[] };
  const said = output.flatMap(({ content = [] }) => content.map((part) => part.transcript ?? part.text ?? '')).join('');
  const calls = output
    .filter(({ type }) => type === 'function_call')
    .map(({ name, call_id, arguments: json }) => ({ name, call_id, arguments: JSON.parse(json ?? '{}') as unknown }));
  return { said, calls };
}

/** Registers a script; returns the name of its model. */
export async function registered(server: SandboxServer, script: unknown): Promise<string> {
  const body = JSON.stringify(script);
  const answer = await put(server, scriptId(body), body);
  if (answer.status !== 200) throw new Error(await answer.text());
  return `script-${scriptId(body)}`;
}

export const put = (server: SandboxServer, id: string, body: string, key = server.key): Promise<Response> =>
  fetch(`http://127.0.0.1:${server.port}/v1/scripts/${id}`, {
    method: 'PUT',
    body,
    headers: { authorization: `Bearer ${key}` },
  });
