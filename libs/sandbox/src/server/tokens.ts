import type { RealtimeResponseUsage } from 'openai/resources/realtime/realtime';

/** Tokens that a model counts for a second of the user's voice, and for a second of its own. */
const INPUT_TOKENS_PER_SECOND = 10;
const OUTPUT_TOKENS_PER_SECOND = 20;
const CHARACTERS_PER_TOKEN = 4;
/** A model's cache holds whole blocks of the earlier conversation. */
const CACHE_BLOCK = 64;

interface Tokens {
  text: number;
  audio: number;
}

/** Counts as a model would, roughly: every response reads the whole conversation again, most of it from the cache. */
export class TokenCount {
  private readonly input: Tokens = { text: 0, audio: 0 };
  private cached: Tokens = { text: 0, audio: 0 };
  private readonly output: Tokens = { text: 0, audio: 0 };

  heardText(text: string): void {
    this.input.text += textTokens(text);
  }

  heardAudio(ms: number): void {
    this.input.audio += Math.ceil((ms / 1_000) * INPUT_TOKENS_PER_SECOND);
  }

  saidText(text: string): void {
    this.output.text += textTokens(text);
  }

  saidAudio(ms: number): void {
    this.output.audio += Math.ceil((ms / 1_000) * OUTPUT_TOKENS_PER_SECOND);
  }

  /** The usage of the finished response; the next response reads its output as input. */
  bill(): RealtimeResponseUsage {
    const input = { ...this.input };
    const output = { ...this.output };
    const cached = { text: blocks(this.cached.text), audio: blocks(this.cached.audio) };
    this.cached = input;
    this.input.text += output.text;
    this.input.audio += output.audio;
    this.output.text = 0;
    this.output.audio = 0;
    return usage(input, cached, output);
  }
}

const usage = (input: Tokens, cached: Tokens, output: Tokens): RealtimeResponseUsage => ({
  total_tokens: total(input) + total(output),
  input_tokens: total(input),
  output_tokens: total(output),
  input_token_details: {
    text_tokens: input.text,
    audio_tokens: input.audio,
    image_tokens: 0,
    cached_tokens: total(cached),
    cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: 0 },
  },
  output_token_details: { text_tokens: output.text, audio_tokens: output.audio },
});

const textTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);
const blocks = (tokens: number): number => Math.floor(tokens / CACHE_BLOCK) * CACHE_BLOCK;
const total = ({ text, audio }: Tokens): number => text + audio;
