export interface WavSound {
  rate: number;
  /** Mono, 16 bit. */
  samples: Int16Array;
}

/**
 * Reads a RIFF/WAVE file with 16-bit PCM. Lengths in the header are not trusted: a synthesiser that streams writes them
 * before it knows them (espeak-ng says 0x7ffff000). Throws when it is something else.
 */
export function readWav(file: Buffer): WavSound {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error('The synthesiser did not write a WAV file.');
  }
  let format: { channels: number; rate: number } | undefined;
  for (let at = 12; at + 8 <= file.length;) {
    const id = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const body = file.subarray(at + 8, Math.min(at + 8 + length, file.length));
    if (id === 'fmt ') format = readFormat(body);
    if (id === 'data' && format) return { rate: format.rate, samples: firstChannel(body, format.channels) };
    at += 8 + length + (length % 2);
  }
  throw new Error('The WAV file holds no sound.');
}

function readFormat(body: Buffer): { channels: number; rate: number } {
  if (body.readUInt16LE(0) !== 1 || body.readUInt16LE(14) !== 16) throw new Error('The WAV file is not 16-bit PCM.');
  return { channels: body.readUInt16LE(2), rate: body.readUInt32LE(4) };
}

function firstChannel(body: Buffer, channels: number): Int16Array {
  const samples = new Int16Array(Math.floor(body.length / (2 * channels)));
  for (let i = 0; i < samples.length; i++) samples[i] = body.readInt16LE(i * 2 * channels);
  return samples;
}
