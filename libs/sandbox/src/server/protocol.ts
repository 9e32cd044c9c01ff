import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';

type WithoutId<Event> = Event extends unknown ? Omit<Event, 'event_id'> : never;

/** What this server sends, in the published types of the protocol; the id of the event is given when it is sent. */
export type ServerEvent = WithoutId<RealtimeServerEvent>;

/** One client's connection, as a conversation uses it. */
export interface Wire {
  send(event: ServerEvent): void;
  /** As it is, whatever it is: faults send what is no event. */
  sendRaw(text: string): void;
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  close(code: number, reason: string): void;
  /** Without a goodbye, as a cut cable does. */
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
