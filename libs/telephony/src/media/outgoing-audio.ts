import { silenceByte, silentFrame } from './g711.js';
import { type Codec, FRAME_BYTES, type G711 } from './media-port.js';
import { PlayoutQueue } from './playout-queue.js';
import { Volume } from './volume.js';
import { fromWire, toWire, type Transcoder } from './wire-codec.js';

/** Outgoing audio in the codec of the wire: that of the port, else payloads of the bridged leg, else silence. */
export class OutgoingAudio {
  /** Audio of the port, in its law. */
  readonly queue = new PlayoutQueue();
  /** In the codec of the wire; sent as they are. */
  readonly payloads = new PlayoutQueue();
  /** Audible tones for a far end without telephone events; sent before everything else. */
  readonly tones = new PlayoutQueue();
  /** Of the port's audio. */
  readonly volume = new Volume();
  /** Whether the last frame had audio of the port in it. */
  played = false;
  private law: G711 = 'PCMU';
  private codec: Codec = 'PCMU';
  /** Undefined when the wire is in the port's law. */
  private encoder: Transcoder | undefined;
  private decoder: Transcoder | undefined;
  private readonly frame = Buffer.alloc(FRAME_BYTES);

  /** From now on; payloads of an earlier codec are dropped. */
  setFormat(law: G711, codec: Codec): void {
    if (law === this.law && codec === this.codec) return;
    this.payloads.flush();
    this.encoder = law === codec ? undefined : toWire(law, codec);
    this.decoder = undefined;
    this.law = law;
    this.codec = codec;
  }

  /** Writes the next 20 ms to `target`, 160 bytes. Returns them in the port's law; the buffer is good until the next call. */
  next(target: Buffer): Buffer {
    if (!this.tones.isEmpty) return this.takeTones(target);
    const taken = this.queue.take(this.frame, 0, FRAME_BYTES);
    this.played = taken > 0;
    if (taken === 0 && !this.payloads.isEmpty) return this.takePayload(target);
    this.volume.apply(this.law, this.frame, taken);
    this.frame.fill(silenceByte(this.law), taken);
    this.encoded(this.frame).copy(target);
    return this.frame;
  }

  private takeTones(target: Buffer): Buffer {
    this.played = false;
    const taken = this.tones.take(this.frame, 0, FRAME_BYTES);
    this.frame.fill(silenceByte(this.law), taken);
    this.encoded(this.frame).copy(target);
    return this.frame;
  }

  private takePayload(target: Buffer): Buffer {
    const taken = this.payloads.take(target, 0, FRAME_BYTES);
    if (taken < FRAME_BYTES) this.encoded(silentFrame(this.law).subarray(taken)).copy(target, taken);
    this.decoder ??= fromWire(this.codec, this.law);
    this.decoder.convert(target).copy(this.frame);
    return this.frame;
  }

  private encoded(audio: Buffer): Buffer {
    return this.encoder ? this.encoder.convert(audio) : audio;
  }
}
