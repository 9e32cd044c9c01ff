import { decode, encode, transcode } from './g711.js';
import { G722Decoder, G722Encoder } from './g722.js';
import { Downsampler, Upsampler } from './sub-band.js';
import type { G711, WireCodec } from '../session/media-port.js';

/**
 * One direction of one stream between the wire and the port's law; stateful like G.722. Input and output have the same duration.
 * G.722 costs 30 to 40 µs of CPU per 20 ms and direction with its resampling (0.4 % of a core per call); the conversion between the
 * laws is a table.
 */
export interface Transcoder {
  convert(audio: Buffer): Buffer;
  /** The last converted audio as L16; only from a wideband codec. */
  wide?(): Buffer;
}

/** From the codec of the wire to the law of the port. */
export function fromWire(codec: WireCodec, law: G711): Transcoder {
  if (codec === 'L16') return new FromL16(law);
  return codec === 'G722' ? new FromG722(law) : { convert: (audio) => transcode(audio, codec, law) };
}

/** From the law of the port to the codec of the wire. */
export function toWire(law: G711, codec: WireCodec): Transcoder {
  if (codec === 'L16') return new ToL16(law);
  return codec === 'G722' ? new ToG722(law) : { convert: (audio) => transcode(audio, law, codec) };
}

const NOTHING = Buffer.alloc(0);

class FromG722 implements Transcoder {
  private readonly decoder = new G722Decoder();
  private readonly halver = new Downsampler();
  private samples = new Int16Array(0);
  private narrow = new Int16Array(0);

  constructor(private readonly law: G711) {}

  convert(audio: Buffer): Buffer {
    if (this.narrow.length !== audio.length) {
      this.samples = new Int16Array(2 * audio.length);
      this.narrow = new Int16Array(audio.length);
    }
    this.decoder.decode(audio, this.samples);
    this.halver.process(this.samples, this.narrow);
    return encode(this.law, this.narrow);
  }

  wide(): Buffer {
    return Buffer.from(pcmBytes(this.samples));
  }
}

class FromL16 implements Transcoder {
  private readonly narrowing: Narrowing;
  private bytes = NOTHING;

  constructor(law: G711) {
    this.narrowing = new Narrowing(law);
  }

  convert(audio: Buffer): Buffer {
    // Whole samples of the 8 kHz clock.
    const bytes = Buffer.allocUnsafe(audio.length - (audio.length % 4));
    audio.copy(bytes);
    this.bytes = bytes.swap16();
    return this.narrowing.convert(pcmSamples(bytes));
  }

  wide(): Buffer {
    return this.bytes;
  }
}

/** To a wideband wire; of one stream, which may change between narrowband and wideband audio. */
export interface WidebandEncoder extends Transcoder {
  /** Writes twice as many samples to `target`. */
  widen(audio: Buffer, target: Int16Array): void;
  /** Samples at 16 kHz. */
  encode(samples: Int16Array, target: Buffer): void;
}

/** Sample for sample. */
export class ToL16 implements WidebandEncoder {
  private readonly doubler = new Upsampler();

  constructor(private readonly law: G711) {}

  convert(audio: Buffer): Buffer {
    const samples = new Int16Array(2 * audio.length);
    this.widen(audio, samples);
    return pcmBytes(samples).swap16();
  }

  widen(audio: Buffer, target: Int16Array): void {
    this.doubler.process(decode(this.law, audio), target);
  }

  encode(samples: Int16Array, target: Buffer): void {
    pcmBytes(samples).copy(target);
    target.swap16();
  }
}

export class ToG722 implements WidebandEncoder {
  private readonly encoder = new G722Encoder();
  private readonly doubler = new Upsampler();
  private samples = new Int16Array(0);

  constructor(private readonly law: G711) {}

  convert(audio: Buffer): Buffer {
    if (this.samples.length !== 2 * audio.length) this.samples = new Int16Array(2 * audio.length);
    this.widen(audio, this.samples);
    const encoded = Buffer.allocUnsafe(audio.length);
    this.encode(this.samples, encoded);
    return encoded;
  }

  widen(audio: Buffer, target: Int16Array): void {
    this.doubler.process(decode(this.law, audio), target);
  }

  encode(samples: Int16Array, target: Buffer): void {
    this.encoder.encode(samples, target);
  }
}

/** L16 to a narrowband law; one instance per stream. */
export class Narrowing {
  private readonly halver = new Downsampler();
  private narrow = new Int16Array(0);

  constructor(private readonly law: G711) {}

  convert(samples: Int16Array): Buffer {
    if (this.narrow.length !== samples.length >> 1) this.narrow = new Int16Array(samples.length >> 1);
    this.halver.process(samples, this.narrow);
    return encode(this.law, this.narrow);
  }
}

/** The bytes of 16-bit samples, in the order of this machine, which is little-endian on every supported one. The memory is shared. */
export const pcmBytes = ({ buffer, byteOffset, byteLength }: Int16Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** The samples of L16 audio; a copy where the bytes have an odd position. */
export function pcmSamples(bytes: Buffer): Int16Array {
  const samples = bytes.length >> 1;
  if (bytes.byteOffset % 2 === 0) return new Int16Array(bytes.buffer, bytes.byteOffset, samples);
  return new Int16Array(new Uint8Array(bytes).buffer, 0, samples);
}
