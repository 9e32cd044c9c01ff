import { bytesPerMs, FRAME_BYTES, FRAME_MS, type G711, type LineCodec } from '../session/media-port.js';

/** Encoded value of the smallest positive sample: silence on the wire. */
const SILENCE: Record<G711, number> = { PCMU: 0xff, PCMA: 0xd5 };

/** The bias of 33 (G.711 table 2a) in 16-bit steps; it makes every segment start at a power of two. */
const MU_BIAS = 33 << 2;
const MU_CLIP = 32_767 - MU_BIAS;

/** G.711 inverts every second bit of the A-law byte, so that idle lines do not send long runs of zeros. */
const A_EVEN_BITS = 0x55;

const DECODED: Record<G711, Int16Array> = {
  PCMU: Int16Array.from({ length: 256 }, (_, byte) => expandMuLaw(byte)),
  PCMA: Int16Array.from({ length: 256 }, (_, byte) => expandALaw(byte)),
};

/** Indexed by sample + 32768: 64 KB per law buy one load per sample instead of a search for the segment. */
const ENCODED: Record<G711, Uint8Array> = {
  PCMU: Uint8Array.from({ length: 65_536 }, (_, index) => compressMuLaw(index - 32_768)),
  PCMA: Uint8Array.from({ length: 65_536 }, (_, index) => compressALaw(index - 32_768)),
};

/** Bytes of one law in the other law, by way of the linear value (G.711 §3.6). */
const TO_OTHER_LAW: Record<G711, Uint8Array> = {
  PCMU: Uint8Array.from(DECODED.PCMU, (sample) => encodeSample('PCMA', sample)),
  PCMA: Uint8Array.from(DECODED.PCMA, (sample) => encodeSample('PCMU', sample)),
};

export const silenceByte = (codec: G711): number => SILENCE[codec];

/** G.711 byte (0-255) -> 16-bit linear sample. */
export function decodeSample(codec: G711, byte: number): number {
  return DECODED[codec][byte & 0xff] as number;
}

/** 16-bit linear sample -> G.711 byte. */
export function encodeSample(codec: G711, sample: number): number {
  return ENCODED[codec][sample + 32_768] as number;
}

/** The 16-bit linear sample of each G.711 byte, for loops over many bytes. Read only. */
export const samplesOf = (codec: G711): Int16Array => DECODED[codec];

export function decode(codec: G711, encoded: Uint8Array): Int16Array {
  const table = DECODED[codec];
  const pcm = new Int16Array(encoded.length);
  for (let i = 0; i < encoded.length; i++) pcm[i] = table[encoded[i] as number] as number;
  return pcm;
}

export function encode(codec: G711, pcm: Int16Array): Buffer {
  const table = ENCODED[codec];
  const encoded = Buffer.allocUnsafe(pcm.length);
  for (let i = 0; i < pcm.length; i++) encoded[i] = table[(pcm[i] as number) + 32_768] as number;
  return encoded;
}

/** The same audio in `to`; returns `encoded` itself when the law is the same. */
export function transcode(encoded: Buffer, from: G711, to: G711): Buffer {
  if (from === to) return encoded;
  const table = TO_OTHER_LAW[from];
  const other = Buffer.allocUnsafe(encoded.length);
  for (let i = 0; i < encoded.length; i++) other[i] = table[encoded[i] as number] as number;
  return other;
}

function expandMuLaw(byte: number): number {
  const inverted = ~byte & 0xff;
  const segment = (inverted >> 4) & 7;
  const magnitude = ((((inverted & 0x0f) << 3) + MU_BIAS) << segment) - MU_BIAS;
  return inverted & 0x80 ? -magnitude : magnitude;
}

function compressMuLaw(sample: number): number {
  const magnitude = Math.min(mirror(sample), MU_CLIP) + MU_BIAS;
  const segment = 24 - Math.clz32(magnitude); // bits 7..14 hold the leading one of segments 0..7
  const step = (magnitude >> (segment + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff;
}

function expandALaw(byte: number): number {
  const value = byte ^ A_EVEN_BITS;
  const segment = (value >> 4) & 7;
  const step = ((value & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return value & 0x80 ? magnitude : -magnitude;
}

function compressALaw(sample: number): number {
  const magnitude = mirror(sample);
  const segment = magnitude < 0x100 ? 0 : 24 - Math.clz32(magnitude);
  const step = (magnitude >> (segment < 2 ? 4 : segment + 3)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | step) ^ A_EVEN_BITS;
}

/** One's complement for negative values, as in the ITU's reference code (G.191): -1 belongs to the first negative step. */
function mirror(sample: number): number {
  return sample < 0 ? ~sample : sample;
}

const FRAMES: Record<LineCodec, Buffer> = {
  PCMU: Buffer.alloc(FRAME_BYTES, silenceByte('PCMU')),
  PCMA: Buffer.alloc(FRAME_BYTES, silenceByte('PCMA')),
  L16: Buffer.alloc(FRAME_MS * bytesPerMs('L16')),
};

/** 20 ms of silence in one shared buffer: do not write to it. */
export const silentFrame = (codec: LineCodec): Buffer => FRAMES[codec];

/** The volume moves by at most this much per frame: a jump of 12 dB is heard as a click. */
const STEP_DB = 6;

/** Three frames up to the full level. */
const RISE_FROM_DB = 24;

const tables = new Map<string, Uint8Array>();

/** Attenuates outgoing audio by table look-up: 256 bytes per level, built on first use. */
export class Volume {
  private wantedDb = 0;
  private db = 0;

  /** Attenuation in whole dB from the next frame on; 0 restores the level. */
  attenuate(db: number): void {
    this.wantedDb = Math.max(0, Math.round(db));
  }

  /** Begins quietly with the next frame: audio that continues in the middle of a word would click. */
  rise(): void {
    this.db = Math.max(this.db, RISE_FROM_DB);
  }

  /** Changes the first `bytes` of `frame`, one frame of 20 ms. */
  apply(law: G711, frame: Buffer, bytes: number): void {
    this.step();
    if (this.db === 0) return;
    const table = tableOf(law, this.db);
    for (let i = 0; i < bytes; i++) frame[i] = table[frame[i] as number] as number;
  }

  /** The same for 16-bit samples. */
  applyTo(samples: Int16Array, count: number): void {
    this.step();
    if (this.db === 0) return;
    const factor = 10 ** (-this.db / 20);
    for (let i = 0; i < count; i++) samples[i] = Math.trunc((samples[i] as number) * factor);
  }

  private step(): void {
    this.db += Math.max(-STEP_DB, Math.min(STEP_DB, this.wantedDb - this.db));
  }
}

function tableOf(law: G711, db: number): Uint8Array {
  const key = `${law} ${db}`;
  const table = tables.get(key) ?? attenuated(law, 10 ** (-db / 20));
  tables.set(key, table);
  return table;
}

const attenuated = (law: G711, factor: number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => encodeSample(law, Math.trunc(decodeSample(law, byte) * factor)));
