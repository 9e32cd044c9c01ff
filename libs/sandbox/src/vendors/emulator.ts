import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Speech } from '@app/voice';
import type { ScriptCache } from '../server/script.js';

/** The services of the sandbox server, for the emulators of vendors. */
export interface EmulatorServices {
  speech: Speech;
  scripts: ScriptCache;
  /** Whether the request has the key of this server, in a header or parameter of any vendor. */
  isKnown(request: IncomingMessage): boolean;
}

/** A client's conversation over a WebSocket, in any protocol. */
export interface Conversation {
  begin(): void;
  /** A text message; also a binary message where `receiveBinary` is absent. */
  receive(text: string): void;
  receiveBinary?(data: Buffer): void;
  close(): void;
}

export type Opening = (socket: WebSocket, stream: Duplex) => Conversation;

/** One vendor's routes over HTTP. */
export interface HttpEmulator {
  answers(method: string, url: URL): boolean;
  /** Ends the response. The emulator checks the key, because each vendor refuses in its own words. */
  answer(request: IncomingMessage, response: ServerResponse, services: EmulatorServices): Promise<void>;
}

/** A refused WebSocket in the words of the vendor. */
export interface SocketRefusal {
  status: number;
  headers?: Record<string, string>;
  /** JSON. */
  body: object;
}

/** One vendor's WebSocket. */
export interface SocketEmulator {
  serves(url: URL): boolean;
  /** A number: the HTTP status of a refusal with OpenAI's body. */
  open(request: IncomingMessage, url: URL, services: EmulatorServices): number | SocketRefusal | Opening;
}
