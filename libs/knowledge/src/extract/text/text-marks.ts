/**
 * What a format says about a piece of text besides its characters: raised, lowered, the address of a link. Readers of formats put
 * marks around the piece, and `spellMarks` turns them into characters when the text of the whole block is known, so that every
 * format spells them in the same way. The marks are noncharacters of Unicode, which documents do not contain.
 */
const RAISED = '\ufdd0';
const LOWERED = '\ufdd1';
const END = '\ufdd2';
const CONTACT = '\ufdd3';

/** Stands for a struck or hidden text, which is left out. */
export const LEFT_OUT = '\ufdd4';

export const raise = (text: string): string => RAISED + text + END;
export const lower = (text: string): string => LOWERED + text + END;

/** The marks alone, for readers that cannot wrap a string. */
export const BASELINE_MARKS = { raised: RAISED, lowered: LOWERED, end: END } as const;

/** Longer addresses are not contacts. */
const MAX_CONTACT = 200;
const CONTACT_SCHEME = /^\s*(mailto|tel|sms|fax|callto|sips?):(?:\/\/)?/i;

/**
 * The contact in the address of a link, as text that follows the words of the link: the mail address of `mailto:`, the number of
 * `tel:`. Empty for other links. It is spelled only if the block does not already contain it.
 */
export function contactOf(href: string): string {
  const scheme = CONTACT_SCHEME.exec(href);
  if (!scheme) return '';
  const [address = ''] = href.slice(scheme[0].length).split('?', 1);
  const isSip = /^sip/i.test(scheme[1] ?? '');
  const [plain = ''] = isSip ? [address] : address.split(/;(?!ext=)/i, 1);
  const text = decode(plain)
    .replace(/[\s\ufdd0-\ufdd4]+/g, ' ')
    .trim();
  return text === '' || text.length > MAX_CONTACT ? '' : CONTACT + text + END;
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    // A percent sign that encodes nothing is a character of its own.
    return address;
  }
}

const ANY_MARK = /[\ufdd0-\ufdd4]/;
const ALL_MARKS = /[\ufdd0-\ufdd4]/g;
/** The look-behind lets a search begin at the first space only. */
const LEFT_OUT_WITHIN = /(?<![ \t])[ \t]*\ufdd4[ \t\ufdd4]*/g;
/** The bounds of these searches keep them linear in a text with unpaired marks. */
const CONTACTS = /\ufdd3([^\ufdd0-\ufdd4]{1,200})\ufdd2/g;
const FRACTION =
  /([\p{L}\p{N}])?\ufdd0[ \t]{0,3}(\d{1,4})[ \t]{0,3}\ufdd2\s{0,3}[/\u2044]\s{0,3}\ufdd1?[ \t]{0,3}(\d{1,4})[ \t]{0,3}\ufdd2?/gu;
const SHIFTED = /(\s{0,3})([\ufdd0\ufdd1])([^\ufdd0-\ufdd4]{0,500})\ufdd2/g;

/** Replaces the marks by characters. */
export function spellMarks(text: string): string {
  if (!ANY_MARK.test(text)) return text;
  return withBaselines(withContacts(withoutGaps(text))).replace(ALL_MARKS, '');
}

/** One space remains between the words around a text that is left out, and a boundary between two numbers. */
const withoutGaps = (text: string): string =>
  text.includes(LEFT_OUT)
    ? text.replace(LEFT_OUT_WITHIN, (gap, index: number) => {
        const isBetweenDigits = /\d/.test(text[index - 1] ?? '') && /\d/.test(text[index + gap.length] ?? '');
        return isBetweenDigits || /[ \t]/.test(gap) ? ' ' : '';
      })
    : text;

/** ` (help@example.com)` after the last of the links to it, unless the text has it anyway. */
function withContacts(text: string): string {
  if (!text.includes(CONTACT)) return text;
  const plain = text.replace(CONTACTS, ' ').replace(ALL_MARKS, '').replaceAll(BORDER, '\n').toLowerCase();
  const last = new Map<string, number>();
  for (const { 1: contact = '', index } of text.matchAll(CONTACTS)) last.set(contact, index);
  return text.replace(CONTACTS, (_, contact: string, index: number) => {
    if (last.get(contact) !== index || (last.size <= MAX_COMPARED && isWritten(contact, plain))) return '';
    const before = text
      .slice(Math.max(0, index - CONTEXT), index)
      .replace(ALL_MARKS, '')
      .replaceAll(BORDER, '\n');
    if (before.trim() === '' || /[(\n]\s*$/.test(before)) return contact;
    return `${/\s$/.test(before) ? '' : ' '}(${contact})`;
  });
}

/** Shorter numbers, such as 112, are not written in groups. */
const MIN_DIGITS = 5;
/** A block with more contacts is a list of them; to search each one in the whole block would take quadratic time. */
const MAX_COMPARED = 200;

/** A number may be written with other separators, or without its country's code. */
function isWritten(contact: string, plain: string): boolean {
  if (hasAddress(plain, contact.toLowerCase())) return true;
  if (!/^[\d\s()+./-]+$/.test(contact)) return false;
  const number = contact.replace(/\D/g, '');
  if (hasNumber(plain, number)) return true;
  const national = [1, 2, 3].map((code) => number.slice(code)).filter((rest) => rest.length > MIN_DIGITS);
  return contact.startsWith('+') && national.some((rest) => hasNumber(plain, `0${rest}`));
}

/** Whether a text has an address, not only as a part of a longer one. */
function hasAddress(plain: string, address: string): boolean {
  const literal = address.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\w.%+-])${literal}(?![\w@-]|\.\w)`).test(plain);
}

/** Whether a text has a number, in one or more groups of digits; `0049` and `+49 (0)` may be before it, no extension after it. */
function hasNumber(plain: string, number: string): boolean {
  if (number === '') return false;
  const separators = number.length < MIN_DIGITS ? '' : String.raw`[\s()./-]{0,3}`;
  const trunk = number.length < MIN_DIGITS ? '' : String.raw`(?:00|\+)?`;
  const digits = number.split('').join(separators);
  return new RegExp(String.raw`(?<!\d)(?<!\d[./-])${trunk}${digits}(?!\d|[./-]\d)`).test(plain);
}

/** Between texts that are spelled together; documents do not contain this noncharacter. */
const BORDER = '\ufdd5';

/** Spells the marks of texts that follow each other on a page, where a contact is written once. */
export const spelledTogether = (texts: readonly string[]): string[] => spellMarks(texts.join(BORDER)).split(BORDER);

function withBaselines(text: string): string {
  const fractions = text.replace(FRACTION, (_, before: string | undefined, top: string, bottom: string) =>
    before === undefined ? `${top}/${bottom}` : `${before} ${top}/${bottom}`,
  );
  return fractions.replace(SHIFTED, (_, space: string, mark: string, content: string, index: number) => {
    const before = fractions.slice(Math.max(0, index - CONTEXT), index).replace(ALL_MARKS, '');
    const end = index + space.length + mark.length + content.length + END.length;
    const after = fractions.slice(end, end + CONTEXT).replace(ALL_MARKS, '');
    const shift = mark === RAISED ? raiseText(before, space, content, after) : `${space}${lowerText(before, content)}`;
    return /\d$/.test(shift) && /^\d/.test(after) ? `${shift} ` : shift;
  });
}

/** Characters before and after that decide what a raised number means. */
const CONTEXT = 40;
const CURRENCY = String.raw`(?:\p{Sc}|(?:USD|EUR|GBP|CHF|CAD|AUD|JPY|PLN|CZK|SEK|NOK|DKK|INR|BRL|euros?|dollars?|Kč|zł|kr|Fr)\b\.?)`;
const PRICE_BEFORE = new RegExp(String.raw`${CURRENCY}\s{0,3}(?:\d{1,3}(?:[.,'\s]\d{3})*|\d+)$`, 'iu');
const PRICE_AFTER = new RegExp(String.raw`^\s{0,3}${CURRENCY}`, 'iu');
const REFERENCES = /^\(?\d{1,3}(?:\s{0,3}[,;–-]\s{0,3}\d{1,3})*\)?$/;
/** Units and variables ("m²", "km²", "x²") are short; longer words have notes. */
const MAX_POWER_LETTERS = 2;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

const RAISED_FRACTION = /^\d{1,4}\s?[/\u2044]\s?\d{1,4}$/;
/** A variable, without the letters that end ordinals, abbreviations and units of time: `1o`, `nr`, `15h30`. */
const VARIABLE = /^[bcfgi-lnpquv-z]$/;
/** A term with an operator or a factor: `n+1`, `2n`, `-k`. */
const TERM = /^(?=.*[a-z])(?:[+−-]|\d{1,3}(?=[a-z])|[a-z](?=\s?[+−*·/-]))[a-z\d\s+−*·/-]{0,20}$/;

/** The exponent of a number or of a variable of one letter. */
function exponentOf(before: string, text: string): string | undefined {
  const isBase = /\d$|(?<![\p{L}\p{N}])\p{L}$/u.test(before);
  if (!isBase) return undefined;
  if (VARIABLE.test(text)) return `^${text}`;
  const isTerm = TERM.test(text) && !/[a-z]{2}|\s$/.test(text) && !/^\d+[adehmorst]$/.test(text);
  return isTerm || (RAISED_FRACTION.test(text) && /\p{L}$/u.test(before)) ? `^(${text})` : undefined;
}

/**
 * A raised text keeps a boundary to the digits before it: cents (`12.99`), a fraction (`1 1/2`), a power (`10^6`, `m²`, `x^n`) or a note
 * (`[1]`). Other letters and signs are read as they stand: `1st`, `Mme`, `®`.
 */
function raiseText(before: string, space: string, content: string, after: string): string {
  const text = content.trim();
  const number = /^[+−-]?\d+$/.test(text);
  const isCents =
    /^\d{2}$/.test(text) && (PRICE_BEFORE.test(before) || (/\d$/.test(before) && PRICE_AFTER.test(after)));
  if (isCents) return (/\d\.\d{3}$/.test(before) ? ',' : '.') + text;
  if (space !== '' || before === '' || /\n$/.test(before))
    return space + (number && /^\s/.test(after) ? `[${text}]` : content);
  if (/\p{Ll}{3}$/u.test(before) && /^[a-z]$/.test(text)) return `[${text}]`;
  const exponent = exponentOf(before, text);
  if (exponent !== undefined) return exponent;
  if (RAISED_FRACTION.test(text)) return /[\p{L}\p{N}]$/u.test(before) ? ` ${text}` : text;
  if (!number && !REFERENCES.test(text)) return content;
  if (/^\d{2}$/.test(text) && /\d[.,]$|\d\s?\p{Sc}$/u.test(before)) return text;
  if (!number) return `[${text.replace(/^\(|\)$/g, '')}]`;
  if (/\d$/.test(before)) return PRICE_BEFORE.test(before) ? `[${text}]` : `^${text.replace('−', '-')}`;
  const letters = /\p{L}+$/u.exec(before)?.[0].length ?? 0;
  if (letters === 0 || letters > MAX_POWER_LETTERS) return /^\d/.test(text) ? `[${text}]` : content;
  return /^\d+$/.test(text) ? Array.from(text, (digit) => SUPERSCRIPTS[Number(digit)]).join('') : `^${text}`;
}

/** `H2O`, but `10_2`. */
const lowerText = (before: string, content: string): string =>
  /\d$/.test(before) && /^\s*\d/.test(content) ? `_${content.trim()}` : content;
