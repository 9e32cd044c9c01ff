import type { DisclosureSettings } from '@app/voice';

/** A sentence that is spoken before everything else. */
export interface StoredDisclosure {
  language: string;
  /** Of the other party's number; absent: all. */
  prefix?: string;
  text: string;
}

/** A call, as far as its disclosure depends on it. */
interface DisclosedCall {
  /** Of the agent on this call, BCP 47; undefined: not set. */
  language: string | undefined;
  /** E.164 number of the other party; undefined: it has none. */
  number: string | undefined;
}

/**
 * The sentence for a call; undefined: the agent has none for its language or number. The longest prefix counts, then the exact language
 * before another variety of it. An agent without a language takes the first sentence of any.
 */
export function disclosureFor(
  stored: readonly StoredDisclosure[],
  { language, number }: DisclosedCall,
): DisclosureSettings | undefined {
  const fitting = stored.filter((one) => {
    const isMeant = one.prefix === undefined || (number?.startsWith(one.prefix) ?? false);
    return isMeant && (language === undefined || baseOf(one.language) === baseOf(language));
  });
  const rank = (one: StoredDisclosure): number =>
    (one.prefix?.length ?? 0) * 2 + (one.language.toLowerCase() === language?.toLowerCase() ? 1 : 0);
  const [best] = fitting.toSorted((a, b) => rank(b) - rank(a));
  return best && { language: best.language, text: best.text, ...(language === undefined && { isForeign: true }) };
}

/** Whether there is a sentence in the language, for numbers of any country. */
export const hasDisclosure = (stored: readonly StoredDisclosure[], language: string | undefined): boolean =>
  stored.some((one) => language === undefined || baseOf(one.language) === baseOf(language));

const baseOf = (tag: string): string => tag.split('-')[0]!.toLowerCase();

/** The E.164 number of a destination or caller; undefined: it has none. */
export const numberIn = (address: string): string | undefined =>
  /^(?:sips?:)?(\+[1-9][0-9]{6,14})(?:[@;]|$)/i.exec(address)?.[1];
