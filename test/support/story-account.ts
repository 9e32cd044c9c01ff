import type { Response } from 'supertest';
import { eventually } from './eventually.js';
import type { Workspace } from './factories.js';
import type { Service } from './service.js';
import { WebhookSink } from './webhook-sink.js';

/** Waits for the callee's first words, says goodbye and hangs up. */
export const BRIEF_AGENT = {
  provider: 'sandbox',
  instructions: 'You answer for ACME.',
  greeting: 'Hello.',
  script: { rules: [{ on: 'speech', say: 'Goodbye.', hang_up: true }] },
};

/** @throws with the response, if it has another status */
function dataOf(response: Pick<Response, 'status' | 'body' | 'text'>, status: number) {
  if (response.status !== status) throw new Error(`${response.status}: ${response.text}`);
  return response.body.data;
}

/** An account whose agent was created over the API, with a receiver of its webhooks. */
export class StoryAccount {
  private constructor(
    private readonly service: Service,
    readonly workspace: Workspace,
    readonly sink: WebhookSink,
    /** Of its webhooks. */
    readonly secret: string,
    /** `BRIEF_AGENT` with the given fields, which reports its calls to the receiver. */
    readonly agentId: number,
  ) {}

  static async open(
    service: Service,
    agent: object = {},
    account: Record<string, unknown> = {},
  ): Promise<StoryAccount> {
    const [sink, workspace] = await Promise.all([WebhookSink.start(), service.account(account)]);
    const me = service.as(workspace.token);
    const rotated = await me.post('/api/v1/webhook-secrets/rotate');
    const { secret } = dataOf(rotated, 201);
    const webhook = { url: `${sink.url}/hook` };
    const made = await me.post('/api/v1/agents').send({
      name: 'Receptionist',
      ...BRIEF_AGENT,
      call_status_webhook: webhook,
      post_call_webhook: webhook,
      ...agent,
    });
    return new StoryAccount(service, workspace, sink, secret as string, dataOf(made, 201).id as number);
  }

  /** Requests with the token of the account. */
  get me() {
    return this.service.as(this.workspace.token);
  }

  /** An extension of the sandbox phone. */
  uri(extension: string): string {
    return `sip:${extension}@127.0.0.1:${this.service.sandboxPort}`;
  }

  /** `POST /calls` by the agent and number of the account. */
  post(order: object) {
    const ids = { agent_id: this.agentId, number_id: this.workspace.numberId };
    return this.me.post('/api/v1/calls').send({ ...ids, ...order });
  }

  /** Places one call. @returns its id */
  async place(to_number: string, order: object = {}): Promise<string> {
    return dataOf(await this.post({ to_number, ...order }), 201).call_id as string;
  }

  /** The call as `GET /calls/{callId}` shows it. */
  async call(id: string) {
    return dataOf(await this.me.get(`/api/v1/calls/${id}`), 200);
  }

  /** Resolves when the webhook of this event has arrived. */
  async untilEvent(id: string, event: string): Promise<void> {
    await this.sink.until(() => this.sink.eventsOf(id).includes(event));
  }

  /** Waits for the post-call webhook. @returns the call */
  async ended(id: string) {
    await this.untilEvent(id, 'ended');
    return this.call(id);
  }

  /** The events of a call so far. */
  async events(id: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    return dataOf(await this.me.get(`/api/v1/calls/${id}/events`).set('Accept', 'application/json'), 200);
  }

  /** Resolves with the first event of that type of the call. */
  async event(id: string, type: string): Promise<Record<string, unknown>> {
    const isWanted = (event: { type: string }): boolean => event.type === type;
    const events = await eventually(
      () => this.events(id),
      (all) => all.some(isWanted),
    );
    return events.find(isWanted)!.data;
  }

  /** Polls a path until its `data` is as wanted. */
  until<T>(path: string, isWanted: (data: T) => boolean): Promise<T> {
    return eventually(async () => (await this.me.get(path)).body.data as T, isWanted);
  }

  close(): Promise<void> {
    return this.sink.close();
  }
}
