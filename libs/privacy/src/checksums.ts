/** Luhn (ISO/IEC 7812-1 annex B): cards, and the identity numbers of several countries. */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The sum of the digits times their weights; digits without a weight are left out. */
export const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0);

/** The remainder of a long decimal number. */
export function remainder(digits: string, divisor: number): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % divisor;
  return rest;
}

/** ISO 7064 MOD 11,10. */
export function mod11And10(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits.at(-1));
}

const VERHOEFF_D = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
];
const VERHOEFF_P = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
];

/** Verhoeff's dihedral check digit: Aadhaar. */
export function verhoeff(digits: string): boolean {
  let check = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    check = Number(VERHOEFF_D[check]![Number(VERHOEFF_P[i % 8]![digit])]);
  }
  return check === 0;
}

/** Lengths of IBANs by country (SWIFT IBAN registry, release 99). */
const IBAN_LENGTHS =
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 ' +
  'GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 ' +
  'MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 ' +
  'TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30';
const LENGTH_OF = new Map(IBAN_LENGTHS.split(' ').map((one) => [one.slice(0, 2), Number(one.slice(2))]));

/** The length of an IBAN that begins like this: two letters and two digits. Undefined: no country has these letters. */
export const ibanLength = (begin: string): number | undefined =>
  /^[A-Z]{2}\d{2}/.test(begin) ? LENGTH_OF.get(begin.slice(0, 2)) : undefined;

/** ISO 13616: length and MOD 97-10. */
export function isIban(text: string): boolean {
  if (ibanLength(text) !== text.length || !/^[A-Z0-9]+$/.test(text)) return false;
  const moved = text.slice(4) + text.slice(0, 4);
  return (
    remainder(
      moved.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55)),
      97,
    ) === 1
  );
}

/** Prefixes and lengths of card networks; each is `from-to:lengths`. */
const BRANDS = [
  '4:13,16,19',
  '51-55:16',
  '2221-2720:16',
  '34:15',
  '37:15',
  '6011:16,17,18,19',
  '644-649:16,17,18,19',
  '65:16,17,18,19',
  '300-305:14,16,17,18,19',
  '309:14,16,17,18,19',
  '36:14,15,16,17,18,19',
  '38-39:14,16,17,18,19',
  '3528-3589:16,17,18,19',
  '62:16,17,18,19',
  '81-82:16',
  '50:13,14,15,16,17,18,19',
  '56-58:13,14,15,16,17,18,19',
  '60:16',
  '63:13,14,15,16,17,18,19',
  '67-69:13,14,15,16,17,18,19',
  '2200-2205:16,17,18,19',
  '9792:16',
].map((rule) => {
  const [range = '', lengths = ''] = rule.split(':');
  const [from = '', to = from] = range.split('-');
  return { digits: from.length, from: Number(from), to: Number(to), lengths: new Set(lengths.split(',').map(Number)) };
});

/** 13 to 19 digits of a card network, with their check digit. */
export const isCard = (digits: string): boolean =>
  digits.length >= 13 &&
  digits.length <= 19 &&
  luhn(digits) &&
  BRANDS.some(({ digits: count, from, to, lengths }) => {
    const prefix = Number(digits.slice(0, count));
    return prefix >= from && prefix <= to && lengths.has(digits.length);
  }) &&
  !/^(\d)\1+$/.test(digits);
