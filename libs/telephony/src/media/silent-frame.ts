import { silenceByte } from './g711.js';
import { FRAME_BYTES, type G711 } from './media-port.js';

const FRAMES: Record<G711, Buffer> = {
  PCMU: Buffer.alloc(FRAME_BYTES, silenceByte('PCMU')),
  PCMA: Buffer.alloc(FRAME_BYTES, silenceByte('PCMA')),
};

/** 20 ms of silence. One buffer for everybody: it is not written to. */
export const silentFrame = (codec: G711): Buffer => FRAMES[codec];
