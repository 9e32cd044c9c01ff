import { describe, expect, it } from '@jest/globals';
import { languageName, LanguageSample } from './text-language.js';

const PROSE: Record<string, string> = {
  en: 'Goods can be returned within thirty days if they are unused. We refund the price after we have received them.',
  de: 'Waren können innerhalb von dreißig Tagen zurückgegeben werden, wenn sie unbenutzt sind. Wir erstatten den Preis.',
  es: 'Los productos se pueden devolver en un plazo de treinta días si no se han utilizado. Devolvemos el importe.',
  fr: 'Les articles peuvent être retournés sous trente jours s’ils n’ont pas été utilisés. Nous remboursons le prix.',
  pl: 'Towary można zwrócić w ciągu trzydziestu dni, jeśli nie były używane. Zwracamy cenę po ich otrzymaniu.',
  ru: 'Товар можно вернуть в течение тридцати дней, если он не был в употреблении. Мы возвращаем деньги после получения.',
  ar: 'يمكن إرجاع البضائع خلال ثلاثين يوما إذا لم يتم استخدامها. نعيد الثمن بعد استلامها من قبل العميل.',
  zh: '未使用的商品可以在三十天内退货。我们收到商品后会退还货款。请保留收据以便办理退货手续。',
  ja: '未使用の商品は三十日以内に返品できます。商品を受け取った後に代金を返金いたします。領収書を保管してください。',
  th: 'สามารถคืนสินค้าได้ภายในสามสิบวันหากยังไม่ได้ใช้งาน เราจะคืนเงินหลังจากได้รับสินค้าแล้ว',
};

const languageOf = (...texts: string[]): Promise<string | null> => {
  const sample = new LanguageSample();
  for (const text of texts) sample.add(text);
  return sample.language();
};

describe('the language of a document', () => {
  it.each(Object.entries(PROSE))('is detected: %s', (language, text) => {
    return expect(languageOf(...Array.from({ length: 6 }, () => text))).resolves.toBe(language);
  });

  it('is detected in a text that repeats one sentence', () => {
    return expect(languageOf('It was a dark and stormy night. '.repeat(600))).resolves.toBe('en');
  });

  it.each([
    ['a short text', ['Open from nine to five, also on Sundays and holidays.']],
    ['a list of codes', Array.from({ length: 400 }, (_, at) => `Model: BO${at}\nPrice: ${at}.90\nColour: rot`)],
    ['nothing', []],
  ])('is unknown for %s', (_what, texts) => expect(languageOf(...texts)).resolves.toBeNull());

  it('is that of the first 5,000 characters of a long text', () => {
    return expect(languageOf(PROSE['de']!.repeat(60), PROSE['en']!.repeat(10_000))).resolves.toBe('de');
  });

  it('has an English name', () => expect([languageName('de'), languageName('zh')]).toEqual(['German', 'Chinese']));
});
