import { microsOf, UnusableSetting } from '@app/common';
import { USAGE_KINDS } from '@app/voice';
import { DEFAULT_PRICE_BOOK, type PriceBook } from './bill.js';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

/** `@Inject(PRICE_BOOK) prices: PriceBook`: read once, when the process starts. */
export const PRICE_BOOK = Symbol('PRICE_BOOK');

const price = z.strictObject({
  kind: z.enum(USAGE_KINDS),
  /**
   * `carrier:+1` (longest prefix wins), `carrier:sip`, `carrier:inbound`, `carrier:default`; for an agent its provider, for
   * tokens with the model (`openai-realtime:<model>`). A star at the end matches any suffix.
   */
  source: z.string().min(1),
  /** Price of a second, a call, or 1,000 tokens. At most 6 decimals: prices are counted in micro-USD. */
  unit_price_usd: z.number().min(0).max(1_000),
});

const schema = z.strictObject({ version: z.string().min(1), prices: z.array(price).min(1).max(10_000) });

/**
 * Reads the operator's prices (YAML or JSON); without a file, the example prices apply. Throws UnusableSetting that names PRICE_BOOK, the
 * file and the invalid fields.
 */
export async function readPriceBook(path: string | undefined): Promise<PriceBook> {
  if (!path) return DEFAULT_PRICE_BOOK;
  const parsed = schema.safeParse(await contentOf(path));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join('.') || 'the whole file'}: ${issue.message}`,
    );
    throw unusable(path, problems.join('\n  '));
  }
  const { version, prices } = parsed.data;
  return {
    version,
    prices: prices.map(({ kind, source, unit_price_usd }) => ({
      kind,
      source,
      unit_price_micro_usd: microsOf(unit_price_usd),
    })),
  };
}

const unusable = (path: string, problem: string, cause?: unknown): UnusableSetting =>
  new UnusableSetting(`PRICE_BOOK ${path} is not usable:\n  ${problem}`, { cause });

async function contentOf(path: string): Promise<unknown> {
  try {
    return parse(await readFile(path, 'utf8'));
  } catch (error) {
    // The file is unreadable, or neither YAML nor JSON: the message contains the line.
    throw unusable(path, (error as Error).message, error);
  }
}
