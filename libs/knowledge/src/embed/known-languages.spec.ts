import { describe, expect, it } from '@jest/globals';
import { isKnownLanguage } from './known-languages.js';

describe('the language test of an English model', () => {
  it.each([
    'How long do I have to return something?',
    'Goods can be returned within 30 days.',
    'Do you have model BO26232 in stock?',
    'The café Müller in Zürich is open on Sundays, and you can park there.',
    'Opening hours',
    'BO26232 | steel | 12 mm',
    "Where's the lost and found?",
    'The word “Спасибо” means that a guest is pleased with the service of the hotel.',
  ])('takes %j for English', (text) => expect(isKnownLanguage(text, ['en'])).toBe(true));

  it.each([
    'Wie lange kann ich etwas zurückgeben?',
    'Die Ware kann innerhalb von 30 Tagen ohne Angabe von Gründen zurückgegeben werden.',
    '¿Cuánto tiempo tengo para devolver un producto?',
    'Les marchandises peuvent être retournées dans les 30 jours.',
    'La merce può essere restituita entro 30 giorni.',
    'As mercadorias podem ser devolvidas em até 30 dias.',
    'Waar kan ik parkeren?',
    'Towar można zwrócić w ciągu 30 dni.',
    'Как вернуть товар?',
    '商品可以在30天内退货。',
    'สินค้าสามารถคืนได้ภายใน 30 วัน',
    '12.50',
    '',
  ])('takes %j for another language or none', (text) => expect(isKnownLanguage(text, ['en'])).toBe(false));
});

describe('the language test of other models', () => {
  const GERMAN = 'Die Ware kann innerhalb von 30 Tagen ohne Angabe von Gründen zurückgegeben werden.';

  it.each([
    ['takes all texts without a list', GERMAN, undefined, true],
    ['takes texts of its languages', GERMAN, ['en', 'de'], true],
    ['refuses texts that are clearly in another language', GERMAN, ['en', 'fr'], false],
    ['takes texts whose language is not clear', 'BO26232 | 12 mm', ['en', 'fr'], true],
  ])('%s', (_, text, languages, isKnown) => expect(isKnownLanguage(text, languages)).toBe(isKnown));
});
