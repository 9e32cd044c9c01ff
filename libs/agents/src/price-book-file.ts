import { microsOf, UnusableSetting } from '@app/common';
import { DEFAULT_PRICE_BOOK, type PriceBook, USAGE_KINDS } from '@app/voice';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

const price = z.strictObject({
  kind: z.enum(USAGE_KINDS),
  /**
   * `carrier:+1` (longest prefix wins), `carrier:sip`, `carrier:inbound`, `carrier:default`; for an agent its provider, for
   * tokens with the model (`openai-realtime:<model>`). A star at the end stands for any other end.
   */
  source: z.string().min(1),
  /** Of a second, a call, or 1,000 tokens. At most 6 decimals: prices are counted in micro-USD. */
  unit_price_usd: z.number().min(0).max(1_000),
});

const schema = z.strictObject({ version: z.string().min(1), prices: z.array(price).min(1).max(10_000) });

/** The operator's prices (YAML or JSON), or the example ones when no file is named. Throws UnusableSetting that names PRICE_BOOK, the file and the places that are wrong. */
export async function readPriceBook(path: string | undefined): Promise<PriceBook> {
  if (!path) return DEFAULT_PRICE_BOOK;
  const parsed = schema.safeParse(await contentOf(path));
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the whole file'}: ${issue.message}`);
    throw unusable(path, faults.join('\n  '));
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
    // A file that cannot be read, or is neither YAML nor JSON: the message has the line.
    throw unusable(path, (error as Error).message, error);
  }
}
