import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';

type WithoutId<Event> = Event extends unknown ? Omit<Event, 'event_id'> : never;

/** An event of this server, in the published types of the protocol; its id is assigned when it is sent. */
export type ServerEvent = WithoutId<RealtimeServerEvent>;

/** One client's connection, as a conversation uses it. */
export interface Wire {
  send(event: ServerEvent): void;
  /** Sends any text: faults send text that is not an event. */
  sendRaw(text: string): void;
  /** Bytes that wait for the client. */
  readonly waitingBytes: number;
  close(code: number, reason: string): void;
  /** Drops the connection without a close frame. */
  cut(): void;
}

/** A refusal of one client event; becomes an `error` event, and the conversation goes on. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }
}
