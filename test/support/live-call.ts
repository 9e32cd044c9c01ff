import type { Schemas } from '@app/client';
import { WatchedCall, type StreamedEvent } from './event-stream.js';
import type { Workspace } from './factories.js';
import type { Service } from './service.js';

type Call = Schemas['CallWithResultsDto'];

/** A call to the sandbox phone, followed by its event stream. */
export class LiveCall {
  private constructor(
    private readonly service: Service,
    private readonly token: string,
    readonly id: string,
    private readonly stream: WatchedCall,
  ) {}

  /** @param extension of the sandbox phone: `press_1`, `silent`, … @param order further fields of `POST /calls` */
  static async place(
    service: Service,
    account: Workspace,
    extension: string,
    order: Record<string, unknown> = {},
  ): Promise<LiveCall> {
    const { agentId: agent_id, numberId: number_id, token } = account;
    const to_number = `sip:${extension}@127.0.0.1:${service.sandboxPort}`;
    const body = { agent_id, number_id, to_number, reject_duplicates: false, ...order };
    const answer = await service.as(token).post('/api/v1/calls').send(body);
    if (answer.status !== 201) throw new Error(`No call was placed: ${answer.status} ${answer.text}`);
    return LiveCall.follow(service, token, answer.body.data.call_id as string);
  }

  /** A call that exists. */
  static async follow(service: Service, token: string, id: string): Promise<LiveCall> {
    const stream = await WatchedCall.open(`${service.baseUrl}/api/v1/calls/${id}/events`, token);
    return new LiveCall(service, token, id, stream);
  }

  get events(): readonly StreamedEvent[] {
    return this.stream.events;
  }

  /** The first event that matches, once it has happened. */
  async until(isWanted: (event: StreamedEvent) => boolean): Promise<StreamedEvent> {
    await this.stream.until((events) => events.some(isWanted));
    return this.stream.events.find(isWanted)!;
  }

  /** The first words of the agent that match, once they are spoken. */
  async said(words: RegExp): Promise<string> {
    const { data } = await this.until(
      ({ type, data: { role, text } }) => type === 'turn' && role === 'agent' && words.test(String(text)),
    );
    return String(data.text);
  }

  /** The call after its end. */
  async ended(): Promise<Call> {
    await this.stream.untilClosed();
    return this.read();
  }

  /** Ends the call. */
  async cancel(): Promise<Call> {
    await this.service.as(this.token).post(`/api/v1/calls/${this.id}/cancel`);
    return this.ended();
  }

  async read(): Promise<Call> {
    return (await this.service.as(this.token).get(`/api/v1/calls/${this.id}`)).body.data as Call;
  }
}
