import { chunkOf, END, EVENT_STREAM, RawServer } from './raw-server.js';

/** The request to a text model. */
export interface AskedModel {
  system: string;
  prompt: string;
}

/** A text (`hang`: no answer), JSON, or what answers the question. */
type Answer = string | object | ((asked: AskedModel) => string | object);

const USAGE = { usage: { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 } };

/** A server with OpenAI's chat completions whose answers a test chooses. */
export class ModelServer {
  readonly asked: AskedModel[] = [];
  /** Of the next requests. */
  answer: Answer = '{}';

  private constructor(private server: RawServer | undefined) {}

  static async start(): Promise<ModelServer> {
    const models = new ModelServer(undefined);
    models.server = await RawServer.start((response, { body }) => {
      const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
      const asked = { system: messages[0]?.content ?? '', prompt: messages[1]?.content ?? '' };
      models.asked.push(asked);
      const { answer } = models;
      if (answer === 'hang') return;
      const given = typeof answer === 'function' ? answer(asked) : answer;
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      response.writeHead(200, EVENT_STREAM);
      for (let at = 0; at < text.length; at += 10_000)
        response.write(chunkOf({ content: text.slice(at, at + 10_000) }));
      response.end(chunkOf({}, 'stop', USAGE) + END);
    });
    return models;
  }

  get url(): string {
    return `http://127.0.0.1:${this.server?.port}/v1`;
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }
}
