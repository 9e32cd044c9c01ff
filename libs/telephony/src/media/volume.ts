import { decodeSample, encodeSample } from './g711.js';
import type { G711 } from './media-port.js';

/** The volume moves by at most this much per frame: a jump of 12 dB is heard as a click. */
const STEP_DB = 6;

const tables = new Map<string, Uint8Array>();

/** Attenuates outgoing audio by table look-up: 256 bytes per level, built on first use. */
export class Volume {
  private wantedDb = 0;
  private db = 0;

  /** Attenuation in whole dB from the next frame on; 0 restores the level. */
  attenuate(db: number): void {
    this.wantedDb = Math.max(0, Math.round(db));
  }

  /** Changes the first `bytes` of `frame`, one frame of 20 ms. */
  apply(law: G711, frame: Buffer, bytes: number): void {
    this.db += Math.max(-STEP_DB, Math.min(STEP_DB, this.wantedDb - this.db));
    if (this.db === 0) return;
    const table = tableOf(law, this.db);
    for (let i = 0; i < bytes; i++) frame[i] = table[frame[i] as number] as number;
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
