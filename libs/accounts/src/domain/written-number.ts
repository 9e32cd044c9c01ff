import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from '@app/common/phone-numbers';
import { cellText } from '@app/common/text-files';
import { normaliseE164 } from './destination-policy.js';

/** A phone number in E.164, or why a text is not one, as a predicate of the number. `isNumber`: it was meant as one. */
type WrittenNumber = { number: string } | { problem: string; isNumber: boolean };

/** Marks of text direction that address books copy with a number, and other invisible characters. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const DIGITS_AND_PUNCTUATION = /^\+?[\d\s().\-/]+$/;
/** Spreadsheets write long numbers so. */
const ROUNDED = /^\d[.,]?\d*e\+?\d+$/i;
const EXTENSION = /^[+\d\s().\-/]{5,}(?:,|;|x|#|ext\.?|extension|dw\.?|durchwahl)\s*(?:ext=)?\d{1,7}$/i;

/** Country codes of ITU-T E.164 with one or two digits; all others have three. */
const SHORT_CODES = '[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]';
/** A zero after the country code: of Italy it belongs to the number, of most countries it is left out. */
const ZERO_AFTER_CODE = new RegExp(`^\\+(?:${SHORT_CODES}|(?!${SHORT_CODES})\\d{3})0`);

/** Whether a text is a country of ISO 3166-1 alpha-2 with phone numbers of its own. */
export const isCountry = (text: string): text is CountryCode => isSupportedCountry(text);

/**
 * A phone number as people and spreadsheets write it: with punctuation, full-width digits, odd spaces, as `="+49…"`, with `(0)` or `00`, or as it is
 * dialled within `country` (ISO 3166-1 alpha-2; null: only with a country code). A number that begins with a plus sign needs only
 * the form of E.164, every other one must be valid in the numbering plan: the digits of an extension are not another number.
 */
export function readWrittenNumber(written: string, country: string | null): WrittenNumber {
  const text = plainText(written);
  if (text === '') return { problem: 'is missing', isNumber: true };
  if (ROUNDED.test(text))
    return {
      problem: 'was rounded by a spreadsheet: format the column as text and enter it again',
      isNumber: true,
    };
  if (!DIGITS_AND_PUNCTUATION.test(text)) {
    const hasExtension = EXTENSION.test(text);
    const problem = hasExtension ? 'has an extension, which cannot be dialled: remove it' : NOT_E164;
    return { problem, isNumber: hasExtension };
  }
  const number = text.startsWith('+') ? international(text) : national(text, country);
  return typeof number === 'string' ? { number } : { ...number, isNumber: true };
}

/** What a refused text would be as a number, as a sentence after the reason; empty: nothing. */
export function didYouMean(written: unknown, country: string | null = null): string {
  const read = typeof written === 'string' ? readWrittenNumber(written, country) : undefined;
  return read && 'number' in read ? ` Did you mean ${read.number}?` : '';
}

const NOT_E164 = 'must be an E.164 number such as +15551234567';

function plainText(written: string): string {
  return cellText(written.normalize('NFKC').replaceAll(INVISIBLE, ''))
    .replace(/^'/, '')
    .replace(/^tel:/i, '')
    .replaceAll(DASHES, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^\( ?\+ ?(\d{1,3}) ?\)/, '+$1');
}

function international(text: string): string | { problem: string } {
  const plain = normaliseE164(text.replace('(0)', ''));
  if (plain === undefined) return { problem: NOT_E164 };
  return ZERO_AFTER_CODE.test(plain) ? (validNumber(plain)?.number ?? plain) : plain;
}

function national(text: string, country: string | null): string | { problem: string } {
  if (country !== null && isCountry(country)) {
    const parsed = validNumber(text, country);
    if (parsed) {
      const digits = text.replaceAll(/\D/g, '');
      const dialled = parsed.formatNational().replaceAll(/\D/g, '');
      // `2345678` may be a number without its area code: with a zero before it, it would be another person's.
      const isCut = dialled !== digits && dialled.endsWith(digits) && parsed.getType() !== 'MOBILE';
      if (!isCut) return parsed.number;
      return {
        problem: `must begin with + and its country code, or with its area code as it is dialled in ${country}`,
      };
    }
  }
  const [, rest] = /^00 ?([1-9].*)$/.exec(text) ?? [];
  if (rest !== undefined) return international(`+${rest}`);
  return {
    problem:
      country === null
        ? 'must begin with + and its country code, unless there is a default country'
        : `is not a valid number in ${country}`,
  };
}

function validNumber(text: string, country?: CountryCode) {
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
  return parsed?.isValid() === true ? parsed : undefined;
}
