import { Speech } from '@app/voice';

/** A frame of silence for every sentence: where nobody listens, nothing needs to be synthesised. */
export const MUTE = new Speech({ clip: () => Promise.resolve(new Int16Array(160)) });
