/** Loaded by `import()`: only a process that plays the voice loads the sandbox; the build resolves `@app/*` in static imports alone. */
import { FormantVoice } from '@app/sandbox/formant';
import { pcmBytes, wavHeader } from '@app/telephony';
import { SAMPLE_RATE, Speech, Synthesiser } from '@app/voice';

/** A text in the voice of sandbox agents, as a WAV file. */
export async function spokenByBuiltInVoice(text: string, signal: AbortSignal): Promise<Buffer> {
  const speech = new Speech(new Synthesiser([new FormantVoice()]));
  const parts: Buffer[] = [];
  for await (const { samples } of speech.samples(text, undefined, signal)) parts.push(pcmBytes(samples));
  const audio = Buffer.concat(parts);
  return Buffer.concat([wavHeader({ channels: 1, rate: SAMPLE_RATE, dataBytes: audio.length }), audio]);
}
