import { decode, type MediaPort } from '@app/telephony';

/** A tone of that many milliseconds at 8 kHz. */
export function sineWave(frequency: number, ms: number): Int16Array {
  return Int16Array.from({ length: ms * 8 }, (_, i) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * frequency * i) / 8_000)),
  );
}

/** Share of the energy that one frequency has, 0-1. */
export function toneShare(pcm: Int16Array, frequency: number, rate: number): number {
  let [cosine, sine, energy] = [0, 0, 1];
  pcm.forEach((sample, i) => {
    cosine += sample * Math.cos((2 * Math.PI * frequency * i) / rate);
    sine += sample * Math.sin((2 * Math.PI * frequency * i) / rate);
    energy += sample ** 2;
  });
  return (2 * (cosine ** 2 + sine ** 2)) / pcm.length / energy;
}

/** Milliseconds of the tone, counted in pieces of 20 ms that contain little else. */
export function toneMs(pcm: Int16Array, frequency: number, rate: number): number {
  const frame = rate / 50;
  let ms = 0;
  for (let at = 0; at + frame <= pcm.length; at += frame) {
    if (toneShare(pcm.subarray(at, at + frame), frequency, rate) > 0.8) ms += 20;
  }
  return ms;
}

/** Resolves when the remote party's tone has been heard for `ms`. */
export function hearTone(port: MediaPort, frequency: number, ms: number): Promise<void> {
  let heardMs = 0;
  return new Promise((resolve) => {
    const stop = port.onFrame((frame) => {
      if (toneShare(decode(port.codec, frame), frequency, 8_000) > 0.8) heardMs += 20;
      if (heardMs < ms) return;
      stop();
      resolve();
    });
  });
}
