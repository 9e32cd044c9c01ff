import { describe, expect, it } from '@jest/globals';
import { contactOf, LEFT_OUT, lower, raise, spellMarks } from './text-marks.js';

/** `{99}` is raised and `_{2}` is lowered; `<tel:…>` is a link. */
const spell = (text: string): string =>
  spellMarks(
    text
      .replace(/<([^<>]*)>/g, (_, href: string) => contactOf(href))
      .replace(/_\{([^{}]*)\}/g, (_, inner: string) => lower(inner))
      .replace(/\{([^{}]*)\}/g, (_, inner: string) => raise(inner)),
  );

describe('a change of the baseline', () => {
  it.each([
    ['$12{99}', '$12.99'],
    ['12{99} € per month', '12.99 € per month'],
    ['CHF 1’200.{50}', 'CHF 1’200.50'],
    ['€ 1.299{00}', '€ 1.299,00'],
    ['$12 {99} each', '$12.99 each'],
    ['12€{99}', '12€99'],
    ['{$}12{99}', '$12.99'],
    ['$49{1} per month', '$49[1] per month'],
    ['10{6} units', '10^6 units'],
    ['10{-3}', '10^-3'],
    ['2{10}5', '2^10 5'],
    ['45 m{2} and 3 km{2}', '45 m² and 3 km²'],
    ['Free{1}, always{2,3}', 'Free[1], always[2,3]'],
    ['Free{a} or not', 'Free[a] or not'],
    ['Preis{1)}', 'Preis[1]'],
    ['Free of charge.{12}', 'Free of charge.[12]'],
    ['Free{[1]}', 'Free[1]'],
    ['{1} Within 30 days', '[1] Within 30 days'],
    ['the 1{st} of May, M{me} Roux, n{o} 4, Acme{®}', 'the 1st of May, Mme Roux, no 4, Acme®'],
    ['5{1}/_{2} inches, {3}⁄_{4} cup', '5 1/2 inches, 3/4 cup'],
    ['H_{2}O and CO_{2}', 'H2O and CO2'],
    ['10_{2}', '10_2'],
    ['log_{10}5', 'log10 5'],
    ['1{1/2} hours and 2 {3⁄4} cups', '1 1/2 hours and 2 3⁄4 cups'],
    ['{1/2} price', '1/2 price'],
    ['10{n} and 2{2n}', '10^n and 2^(2n)'],
    ['x{n+1}, x{n}, x{1/2}, e{-k}', 'x^(n+1), x^n, x^(1/2), e^(-k)'],
    ['1{er}, 2{e}, 1{o}, 1{a}, 15{h}30, 3{rd}, 9{am}, 7{TM}', '1er, 2e, 1o, 1a, 15h30, 3rd, 9am, 7TM'],
    ['S{t} Paul, N{r} 5, D{r} Roux, 20{°C}', 'St Paul, Nr 5, Dr Roux, 20°C'],
  ])('keeps a boundary: %s', (source, expected) => expect(spell(source)).toBe(expected));
});

describe('the contact of a link', () => {
  it.each([
    ['Email us<mailto:help@example.com?subject=Hi>', 'Email us (help@example.com)'],
    ['Call us<tel:+49-30-1234567> today', 'Call us (+49-30-1234567) today'],
    ['Call<tel:%2B1%20555%20010%200000;phone-context=example.com>', 'Call (+1 555 010 0000)'],
    ['<mailto:help@example.com>', 'help@example.com'],
    ['help@Example.com<mailto:Help@example.com>', 'help@Example.com'],
    ['(030) 123 45 67<tel:+49301234567>', '(030) 123 45 67'],
    ['Call<tel:100> or write<mailto:a@b.example>', 'Call (100) or write (a@b.example)'],
    ['One<tel:+15550100> link<tel:+15550100>', 'One link (+15550100)'],
    ['Site<https://example.com>', 'Site'],
    ['Open 9 to 11: emergency line<tel:911>', 'Open 9 to 11: emergency line (911)'],
    ['Open 9-11, emergency line<tel:911>', 'Open 9-11, emergency line (911)'],
    ['Dial 911<tel:911>, not 9112', 'Dial 911, not 9112'],
    ['Rooms 1 to 30, 1 to 23, 45, 67<tel:130123>', 'Rooms 1 to 30, 1 to 23, 45, 67 (130123)'],
    ['030 1234567-89 or the desk<tel:0301234567>', '030 1234567-89 or the desk (0301234567)'],
    ['+49 (0)30 1234567<tel:+49301234567> or 0049 30 1234567', '+49 (0)30 1234567 or 0049 30 1234567'],
    ['billing-info@example.com or us<mailto:info@example.com>', 'billing-info@example.com or us (info@example.com)'],
    ['info@example.com.au or us<mailto:info@example.com>', 'info@example.com.au or us (info@example.com)'],
    ['Mail:info@example.com. Or us<mailto:info@example.com>', 'Mail:info@example.com. Or us'],
    ['Broken<mailto:a%zz@b.example>', 'Broken (a%zz@b.example)'],
    ['Phone us<sip:desk@pbx.example>', 'Phone us (desk@pbx.example)'],
  ])('follows the words of the link, once: %s', (source, expected) => expect(spell(source)).toBe(expected));
});

it.each([
  ['was 20 ~ EUR', 'was 20 EUR'],
  ['20~15 EUR', '20 15 EUR'],
  ['~ 15 EUR', ' 15 EUR'],
  ['pre~fix', 'prefix'],
  ['~~', ''],
])('a text that is left out leaves one space at most: %s', (source, expected) =>
  expect(spellMarks(source.replaceAll('~', LEFT_OUT))).toBe(expected),
);

it.each([
  ['spaces without a mark', `${' '.repeat(300_000)}x${LEFT_OUT}`],
  ['open marks', '\ufdd0'.repeat(500_000)],
  ['raised digits', '1\ufdd01\ufdd2'.repeat(100_000)],
  [
    'numbers that are compared',
    Array.from({ length: 199 }, (_, n) => `${'1 '.repeat(500)}a\ufdd3+1111${n}\ufdd2`).join(''),
  ],
  ['contacts', Array.from({ length: 50_000 }, (_, n) => `a\ufdd3+${n}\ufdd2`).join('')],
  ['digits before a raised one', `$${'1'.repeat(500_000)}\ufdd099\ufdd2`],
])('many %s are spelled in linear time', (_, text) => expect(spellMarks(text)).not.toMatch(/[\ufdd0-\ufdd4]/));
