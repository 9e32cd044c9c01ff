import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../clock.js';
import { vendorProblem, vendorServer, type VendorServer } from '../../provider-settings.js';
import { shorten } from '../../socket/server-protocol.js';
import type { SynthesizerKind } from '../leg-registry.js';
import type { SynthesizerChoice } from '../pipeline-options.js';
import type { LegAudio, SynthesisEvent, SynthesisRequest, Synthesizer, TimedWord } from '../ports.js';
import { charactersOf, SentenceAudio } from './sentence-audio.js';
import { SentenceRequests } from './sentence-requests.js';

/** The fastest model. */
const MODEL = 'eleven_flash_v2_5';
/** A voice of every account ("George"). */
const VOICE = 'JBFqnCBsd6RMkjVDRZzb';
/** The range of the vendor; other speeds become the nearest one. */
const SPEED = [0.7, 1.2] as const;
/** A line has about a second of audio; this is a minute of it. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export const elevenLabs: SynthesizerKind = {
  problem: (_choice, { settings }) => vendorProblem('synthesizer', 'elevenlabs', settings),
  open: (choice, { settings, clock }) => new ElevenLabs(choice, vendorServer('elevenlabs', settings)!, clock),
};

/**
 * Each sentence is one request to the streaming endpoint with timestamps: the text is complete, so that a WebSocket would add only its
 * buffering, and an abort closes the request. See docs/decisions/0044-synthesizers.md.
 */
class ElevenLabs implements Synthesizer {
  readonly name: string;
  private readonly model: string;
  private readonly requests: SentenceRequests;

  constructor(
    private readonly choice: SynthesizerChoice,
    server: VendorServer,
    clock: Clock,
  ) {
    this.model = choice.model ?? MODEL;
    this.name = `elevenlabs:${this.model}`;
    this.requests = new SentenceRequests({
      name: 'ElevenLabs',
      server,
      authorization: server.key ? { 'xi-api-key': server.key } : {},
      clock,
    });
  }

  speak(request: SynthesisRequest, signal: AbortSignal): AsyncIterable<SynthesisEvent> {
    const voice = encodeURIComponent(this.choice.voice ?? VOICE);
    const path = `/v1/text-to-speech/${voice}/stream/with-timestamps?output_format=${FORMATS[request.audio.codec]}`;
    const read = (response: IncomingMessage) => spokenLines(response, request.audio);
    return this.requests.speak(
      { path, body: this.body(request), read, usage: charactersOf(this.name, request) },
      signal,
    );
  }

  prepare(signal: AbortSignal): Promise<void> {
    return this.requests.prepare(signal);
  }

  close(): void {
    this.requests.close();
  }

  /** Models refuse fields that they do not support. */
  private body({ text, language, previousText }: SynthesisRequest): object {
    const { speed } = this.choice;
    return {
      text,
      model_id: this.model,
      ...(language &&
        !/multilingual_v[12]/.test(this.model) && { language_code: language.split('-')[0]!.toLowerCase() }),
      ...(previousText && !/_v3/.test(this.model) && { previous_text: previousText }),
      ...(speed !== undefined && { voice_settings: { speed: Math.min(SPEED[1], Math.max(SPEED[0], speed)) } }),
    };
  }
}

const FORMATS: Record<LegAudio['codec'], string> = { PCMU: 'ulaw_8000', PCMA: 'alaw_8000', L16: 'pcm_16000' };

/** The times of characters in seconds. */
interface Alignment {
  characters: string[];
  character_start_times_seconds: number[];
  character_end_times_seconds: number[];
}

/** Each line of the response is JSON with audio and the times of its characters. */
async function* spokenLines(response: IncomingMessage, format: LegAudio): AsyncGenerator<SynthesisEvent> {
  const audio = new SentenceAudio('ElevenLabs', format);
  const words = new CharacterWords();
  for await (const line of linesOf(response)) {
    const part = partOf(line);
    const spoken = part.alignment ? words.push(part.alignment, audio.ms) : [];
    if (spoken.length > 0) yield { type: 'words', words: spoken };
    const piece = audio.push(Buffer.from(part.audio, 'base64'));
    if (piece) yield { type: 'audio', audio: piece };
  }
  const last = words.end();
  if (last.length > 0) yield { type: 'words', words: last };
  const rest = audio.end();
  if (rest) yield { type: 'audio', audio: rest };
}

async function* linesOf(response: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8');
      parts = [];
      length = 0;
      from = at + 1;
      if (line.trim() !== '') yield line;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES) throw new Error('The server of ElevenLabs sends lines without an end.');
  }
  const last = Buffer.concat(parts).toString('utf8');
  if (last.trim() !== '') yield last;
}

const NEWLINE = 0x0a;

/** Throws for a line that is not speech. */
function partOf(line: string): { audio: string; alignment?: Alignment } {
  const part = parse(line);
  const { audio_base64: audio, alignment } = part;
  if (typeof audio === 'string') return { audio, ...(isAlignment(alignment) && { alignment }) };
  // The last lines may have no audio.
  if (audio === null || 'alignment' in part) return { audio: '', ...(isAlignment(alignment) && { alignment }) };
  throw new Error(`The server of ElevenLabs stopped the sentence: ${shorten(line)}`);
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Reported below.
  }
  throw new Error('The server of ElevenLabs sent an invalid line.');
}

function isAlignment(value: unknown): value is Alignment {
  if (typeof value !== 'object' || value === null) return false;
  const { characters, character_start_times_seconds: starts, character_end_times_seconds: ends } = value as Alignment;
  if (!Array.isArray(characters) || !Array.isArray(starts) || !Array.isArray(ends)) return false;
  return (
    starts.length === characters.length &&
    ends.length === characters.length &&
    characters.every((character) => typeof character === 'string') &&
    [...starts, ...ends].every((seconds) => Number.isFinite(seconds) && seconds >= 0)
  );
}

/** Scripts without spaces: each character is heard alone. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Joins characters to words, across the borders of lines. */
class CharacterWords {
  private word: TimedWord | undefined;
  private endMs = 0;

  /** `audioMs`: the audio before this part. Returns the words that are complete. */
  push(alignment: Alignment, audioMs: number): TimedWord[] {
    const { characters, character_start_times_seconds: starts, character_end_times_seconds: ends } = alignment;
    // Times count from the start of the sentence; some models count from the start of the part.
    const offsetMs = (starts[0] ?? 0) * 1_000 + SLACK_MS < this.endMs ? audioMs : 0;
    const words: TimedWord[] = [];
    for (const [i, character] of characters.entries()) {
      const startMs = Math.max(this.endMs, Math.round(starts[i]! * 1_000 + offsetMs));
      const endMs = Math.max(startMs, Math.round(ends[i]! * 1_000 + offsetMs));
      const isSpace = /^\s*$/.test(character);
      if (isSpace || SPACELESS.test(character)) words.push(...this.end());
      if (!isSpace)
        this.word = { text: (this.word?.text ?? '') + character, startMs: this.word?.startMs ?? startMs, endMs };
      this.endMs = endMs;
    }
    return words;
  }

  end(): TimedWord[] {
    const { word } = this;
    this.word = undefined;
    return word ? [word] : [];
  }
}

const SLACK_MS = 100;
