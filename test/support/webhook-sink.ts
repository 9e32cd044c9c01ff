import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { PATIENCE_MS } from './eventually.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** The fields of every webhook of a call. */
export interface CallWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  /** As received, because the signature covers these bytes. */
  text: string;
  body: {
    id: string;
    type: string;
    event: string;
    created_at: string;
    sequence: number;
    data: Record<string, unknown>;
  };
}

/** A receiver that finds webhooks by their call. */
export class WebhookSink {
  readonly received: CallWebhook[] = [];
  private statusOf: (webhook: CallWebhook) => number = () => 200;

  private constructor(private readonly receiver: WebhookReceiver) {
    receiver.answer = ({ path, headers, body }, response) => {
      const webhook = { path, headers, text: body, body: JSON.parse(body) as CallWebhook['body'] };
      this.received.push(webhook);
      response.writeHead(this.statusOf(webhook)).end();
    };
  }

  static async start(): Promise<WebhookSink> {
    return new WebhookSink(await WebhookReceiver.start());
  }

  /** Without a path. */
  get url(): string {
    return this.receiver.url('');
  }

  /** The webhooks of a call in order of arrival, with repetitions. */
  of(callId: string): CallWebhook[] {
    return this.received.filter(({ body }) => body.data['call_id'] === callId);
  }

  eventsOf(callId: string): string[] {
    return this.of(callId).map(({ body }) => body.event);
  }

  /** @throws when the signature was not made with the secret. */
  verify(webhook: CallWebhook, secret: string): void {
    new Webhook(secret).verify(webhook.text, webhook.headers as Record<string, string>);
  }

  /** Sets the status of the answers from now on. */
  answerWith(statusOf: (webhook: CallWebhook) => number): void {
    this.statusOf = statusOf;
  }

  /** Waits until the predicate is true, checked after each webhook. @throws after `timeoutMs`. */
  async until(predicate: (received: CallWebhook[]) => boolean, timeoutMs = PATIENCE_MS): Promise<void> {
    await this.receiver.until(() => predicate(this.received), AbortSignal.timeout(timeoutMs));
  }

  close(): Promise<void> {
    return this.receiver.close();
  }
}
