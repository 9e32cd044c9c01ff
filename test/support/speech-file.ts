import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from './service.js';

const HEADER_BYTES = 44;
/** The greeting of an agent is not interrupted. */
const SILENCE_SECONDS = 10;

/** A WAV file for the microphone of a browser, which repeats it: silence, then the built-in voice of sandbox agents. */
export async function speechFile(
  service: Service,
  token: string,
): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'speech-'));
  const path = join(folder, 'speech.wav');
  const query = { vendor: 'sandbox', voice: 'default' };
  const { body } = await service.as(token).get('/api/v1/vendors/voice-sample').query(query).expect(200);
  await writeFile(path, withSilence(body as Buffer));
  return { path, remove: () => rm(folder, { recursive: true }) };
}

/** The bytes of a second are at 28, the sizes of file and data at 4 and 40 (a WAV file with one `fmt ` and one `data` chunk). */
function withSilence(wav: Buffer): Buffer {
  const silence = Buffer.alloc(SILENCE_SECONDS * wav.readUInt32LE(28));
  const header = Buffer.from(wav.subarray(0, HEADER_BYTES));
  header.writeUInt32LE(wav.readUInt32LE(4) + silence.length, 4);
  header.writeUInt32LE(wav.readUInt32LE(40) + silence.length, 40);
  return Buffer.concat([header, silence, wav.subarray(HEADER_BYTES)]);
}
