import type { TranscriberKind } from '../src/providers/pipeline/leg-registry.js';
import type { TranscriberEvent } from '../src/providers/pipeline/ports.js';
import type { VendorName } from '../src/providers/provider-settings.js';
import { type Transcribing, transcribing } from './transcribing.js';
import type { VendorSocket } from './vendor-socket.js';

const BEGIN = { type: 'Begin', id: '3207b601', expires_at: 1772570132 };

/** Accepts sessions as the vendor does; `flux` is Deepgram with one of these models. */
export function acceptAs(vendor: VendorName | 'flux', server: VendorSocket): void {
  server.onConnection = (socket) => {
    if (vendor === 'flux') socket.send('{"type":"Connected","request_id":"r","sequence_id":0}');
    if (vendor === 'assemblyai') socket.send(JSON.stringify(BEGIN));
    if (vendor === 'openai') socket.send('{"type":"session.created","session":{}}');
  };
  server.onMessage = (message, socket) => {
    if (message.type === 'session.update') socket.send(JSON.stringify({ ...message, type: 'session.updated' }));
  };
}

/** A vendor's adapter with a stream to the server of a test. */
export class AcceptedStream {
  constructor(
    private readonly kind: TranscriberKind,
    private readonly vendor: VendorName,
    private readonly server: () => VendorSocket,
    private readonly protocol: VendorName | 'flux' = vendor,
  ) {}

  open(more: Partial<Transcribing> = {}) {
    acceptAs(this.protocol, this.server());
    return transcribing(this.kind, this.vendor, { server: { url: this.server().url, key: 'k' }, ...more });
  }

  /** The events of these messages, without the end. */
  async eventsOf(messages: object[], model?: string): Promise<TranscriberEvent[]> {
    const { stream, events, until } = await this.open({ model });
    this.server().send(...messages);
    this.server().clients[0]!.close(1000);
    await until('closed');
    stream.close();
    return events.filter(({ type }) => type !== 'closed');
  }
}
