import { type CallCommand, dataOf, type Schemas, sendCommand } from '@app/client';
import { FormantVoice } from '@app/sandbox/formant';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { decode } from '@app/telephony';
import { openSpeech } from '@app/voice';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiOf, type ApiClient } from './api-client.js';
import { WatchedCall, type StreamedEvent } from './event-stream.js';
import { eventually } from './eventually.js';
import type { Stack } from './stack.js';
import { sideOf } from './stereo-wav.js';
import type { TestAccount } from './workspace.js';

export type Command = Schemas['CommandDto'];

/** A sandbox phone that keeps the RTP that it receives. */
export class RecordingPhone {
  private constructor(
    readonly phone: SandboxPhone,
    private readonly folder: string,
  ) {}

  /** `patience`: in milliseconds, for the first and the next sentence of the other side. */
  static async start(firstRtpPort: number, patience = { greetingMs: 2_000, turnMs: 3_000 }): Promise<RecordingPhone> {
    const folder = await mkdtemp(join(tmpdir(), 'phone-'));
    const rtpPorts = { min: firstRtpPort, max: firstRtpPort + 199 };
    const log = { debug: () => undefined, warn: () => undefined };
    const phone = await startSandboxPhone({
      ...{ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 50, log, recordIn: folder },
      patience: { ...patience, goodbyeMs: 500 },
    });
    return new RecordingPhone(phone, folder);
  }

  /** Samples of the received RTP of the ended call to a user, from the answer. */
  async heardBy(user: string): Promise<Int16Array> {
    const call = await this.phone.waitFor((one) => one.requestUser === user && one.endedBy !== undefined);
    const path = join(this.folder, `${Buffer.from(call.callId).toString('hex')}.wav`);
    // The phone finishes the file after its record of the call.
    const sizes = (wav: Buffer) => wav.length > 44 && wav.readUInt32LE(40) === wav.length - 44;
    const read = () => readFile(path).catch(() => Buffer.alloc(0));
    return sideOf(await eventually(read, sizes), 'callee');
  }

  async close(): Promise<void> {
    await this.phone.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A call in progress, its commands and its event stream. */
export class CommandedCall {
  private constructor(
    readonly id: string,
    readonly user: string,
    readonly api: ApiClient,
    readonly stream: WatchedCall,
  ) {}

  /** Resolves when the call is in progress. `user`: the extension of the phone. */
  static async place(
    stack: Stack,
    account: TestAccount,
    to: { user: string; port: number },
    order: Record<string, unknown> = {},
  ): Promise<CommandedCall> {
    const api = apiOf(stack, account);
    const to_number = `sip:${to.user}@127.0.0.1:${to.port}`;
    const { call_id: id } = await api.createCall({ to_number, ...order });
    const stream = await WatchedCall.open(`${stack.baseUrl}/api/v1/calls/${id}/events`, account.token);
    const call = new CommandedCall(id, to.user, api, stream);
    await call.until(({ type, data }) => type === 'status' && data.status === 'in_progress');
    return call;
  }

  /** The first event that matches. */
  async until(isWanted: (event: StreamedEvent) => boolean): Promise<StreamedEvent> {
    await eventually(
      () => this.stream.events.some(isWanted),
      (found) => found,
    );
    return this.stream.events.find(isWanted)!;
  }

  send(command: CallCommand, idempotencyKey?: string): Promise<Command> {
    return sendCommand(this.api, this.id, command, { idempotencyKey });
  }

  /** Sends a command and resolves with its final state. */
  async run(command: CallCommand): Promise<Command> {
    return this.ended(await this.send(command));
  }

  /** Resolves when the event stream reports the end of the command. */
  async ended({ command_id: commandId }: Command): Promise<Command> {
    await this.until(
      ({ type, data }) => /^command_(?:done|failed|not_executed)$/.test(type) && data.command_id === commandId,
    );
    const path = { callId: this.id, commandId };
    return dataOf(this.api.GET('/api/v1/calls/{callId}/commands/{commandId}', { params: { path } }));
  }

  async commands(): Promise<Command[]> {
    return dataOf(this.api.GET('/api/v1/calls/{callId}/commands', { params: { path: { callId: this.id } } }));
  }

  /** Resolves when the agent has said its greeting. */
  greeted(): Promise<StreamedEvent> {
    return this.until(({ type, data }) => type === 'turn' && data.role === 'agent');
  }

  async hangUp(): Promise<void> {
    await this.send({ type: 'hang_up' });
    await this.over();
  }

  async over(): Promise<StreamedEvent[]> {
    await this.until(({ data }) => data.hangup_cause !== undefined);
    return this.stream.events;
  }

  /** Milliseconds from the answer to a time of the API. */
  async msOf(time: string | null): Promise<number> {
    const { answered_at: from } = await this.api.call(this.id);
    return Date.parse(String(time)) - Date.parse(String(from));
  }
}

/** The second and third quarter of a sentence as the sandbox agent speaks it. */
export async function spokenWords(sentence: string): Promise<Int16Array> {
  const speech = await openSpeech(new FormantVoice());
  const clips: Buffer[] = [];
  for await (const { audio } of speech.say(sentence, { codec: 'PCMU' }, new AbortController().signal))
    clips.push(audio);
  const samples = decode('PCMU', Buffer.concat(clips));
  return samples.subarray(Math.floor(samples.length / 4), Math.floor((samples.length * 3) / 4));
}

/** A frame that a busy machine sends late is missing in one piece only. */
const PIECE_BYTES = 200 * 16;

/** Where `part` begins in `heard`, in milliseconds, by the first of its pieces that is found; undefined: none. G.711 arrives as it was sent. */
export function occursAtMs(heard: Int16Array, part: Int16Array): number | undefined {
  const whole = Buffer.from(heard.buffer, heard.byteOffset, heard.byteLength);
  const wanted = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  for (let from = 0; from + PIECE_BYTES <= wanted.length; from += PIECE_BYTES / 4) {
    const at = whole.indexOf(wanted.subarray(from, from + PIECE_BYTES));
    if (at >= 0) return (at - from) / 16;
  }
  return undefined;
}
