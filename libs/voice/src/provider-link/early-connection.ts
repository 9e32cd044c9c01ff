import { type G711, type LineCodec, transcode } from '@app/telephony';
import type {
  AudioPatience,
  ConnectRequest,
  ProviderEvent,
  VoiceConnection,
  VoiceProvider,
} from '../providers/voice-provider.js';
import type { SessionOptions } from '../session-options.js';

/** A phone may ring for longer than a provider keeps an idle session; a server that closes each one is left alone after so many. */
const MAX_CONNECTIONS = 4;

type EventListener = (event: ProviderEvent) => void;

interface Opened {
  connection: VoiceConnection;
  codec: LineCodec;
  /** Events before the answer. */
  early: ProviderEvent[];
  /** After the answer. */
  forward: EventListener | undefined;
}

/**
 * The connection of a call that still rings, so that the first words do not wait for it. Providers that charge for connected time are not
 * connected before the answer, and neither fails here: the session connects as usual after the answer.
 */
export class EarlyConnection {
  private readonly aborted = new AbortController();
  private opened: Opened | undefined;
  private opening: Promise<void> = Promise.resolve();
  private connections = 0;
  private isClaimed = false;

  constructor(
    readonly provider: VoiceProvider,
    private readonly request: () => ConnectRequest,
    private readonly log: SessionOptions['log'],
  ) {}

  /** Resolves when the connection is open, or there will be none. */
  open(): Promise<void> {
    this.opening = this.connect();
    return this.opening;
  }

  /** Hands the connection over to the session; undefined: there is none that fits. `onEvent` gets the early events after the hand-over. */
  async claim(codec: LineCodec, onEvent: EventListener): Promise<VoiceConnection | undefined> {
    await this.opening;
    const { opened } = this;
    this.isClaimed = true;
    this.opened = undefined;
    if (!opened) return undefined;
    if (opened.codec !== codec && (opened.codec === 'L16' || codec === 'L16')) {
      opened.connection.close();
      return undefined;
    }
    const received = translate(onEvent, opened.codec, codec);
    opened.forward = received;
    for (const event of opened.early.splice(0)) received(event);
    return toCodec(opened.connection, codec, opened.codec);
  }

  /** The call was not answered. */
  close(): void {
    this.isClaimed = true;
    this.aborted.abort();
    this.opened?.connection.close();
    this.opened = undefined;
  }

  private async connect(): Promise<void> {
    const { provider, aborted } = this;
    this.connections++;
    try {
      if (provider.load) await provider.load();
      if (provider.capabilities.billsConnection || aborted.signal.aborted) return;
      const request = this.request();
      const early: ProviderEvent[] = [];
      let opened: Opened | undefined;
      const onEvent = (event: ProviderEvent): void => {
        if (opened?.forward) opened.forward(event);
        else early.push(event);
        if (event.type === 'closed' || event.type === 'expiring') this.expired(opened);
      };
      const connection = await provider.connect(request, onEvent, aborted.signal);
      opened = { connection, codec: request.codec, early, forward: undefined };
      if (this.isClaimed) connection.close();
      else this.opened = opened;
    } catch (error) {
      if (!aborted.signal.aborted)
        this.log.info({ err: error, provider: provider.name }, 'no connection during ringing');
    }
  }

  /** The service ends the session of a phone that rings for long: another one takes its place. */
  private expired(opened: Opened | undefined): void {
    if (this.isClaimed || !opened || this.opened !== opened) return;
    this.opened = undefined;
    opened.connection.close();
    if (this.connections < MAX_CONNECTIONS) void this.open();
  }
}

/** The law was not known before the answer; a table converts between the two. */
function translate(onEvent: EventListener, from: LineCodec, to: LineCodec): EventListener {
  if (from === to || from === 'L16' || to === 'L16') return onEvent;
  return (event) => onEvent(event.type === 'audio' ? { ...event, audio: transcode(event.audio, from, to) } : event);
}

function toCodec(connection: VoiceConnection, from: LineCodec, to: LineCodec): VoiceConnection {
  if (from === to || from === 'L16' || to === 'L16') return connection;
  return new TranscodedConnection(connection, from, to);
}

class TranscodedConnection implements VoiceConnection {
  constructor(
    private readonly connection: VoiceConnection,
    private readonly from: G711,
    private readonly to: G711,
  ) {}

  sendAudio(frame: Buffer, mayWait?: AudioPatience): void {
    this.connection.sendAudio(transcode(frame, this.from, this.to), mayWait);
  }

  sendText(...input: Parameters<VoiceConnection['sendText']>): void {
    this.connection.sendText(...input);
  }

  sendDigits(digits: string): void {
    this.connection.sendDigits(digits);
  }

  createResponse(...request: Parameters<VoiceConnection['createResponse']>): void {
    this.connection.createResponse(...request);
  }

  cancelResponse(): void {
    this.connection.cancelResponse();
  }

  truncate(itemId: string, playedMs: number): void {
    this.connection.truncate(itemId, playedMs);
  }

  listenOnly(isOn: boolean): void {
    this.connection.listenOnly?.(isOn);
  }

  update(change: Parameters<NonNullable<VoiceConnection['update']>>[0]): boolean {
    return this.connection.update?.(change) ?? false;
  }

  sendToolResult(toolCallId: string, result: string): void {
    this.connection.sendToolResult(toolCallId, result);
  }

  close(): void {
    this.connection.close();
  }
}
