import { describe, expect, it } from '@jest/globals';
import { qualityOf, TextQualityMeter } from './text-quality.js';

const ENGLISH =
  'The warranty covers all parts for two years from the day of purchase. If the machine does not start, check whether the plug is ' +
  'in the socket and the main switch is on. Clean the filter once a month under running water and let it dry before you put it back. ' +
  'Our customer service answers calls from nine to five on working days, and messages within one day. Spare parts can be ordered ' +
  'with the number on the label at the back of the housing; please keep the receipt, because we need its date for every claim.';
const GERMAN =
  'Die Gewährleistung umfasst sämtliche Bauteile für zwei Jahre ab dem Kaufdatum. Sollte das Gerät nicht anspringen, prüfen Sie ' +
  'bitte, ob der Netzstecker eingesteckt und der Hauptschalter eingeschaltet ist. Die Donaudampfschifffahrtsgesellschaft ' +
  'übernimmt keine Haftung für Schäden durch unsachgemäße Inbetriebnahme. Das Rindfleischetikettierungsüberwachungsgesetz gilt ' +
  'entsprechend für alle Straßenbahnhaltestellen und Geschwindigkeitsbeschränkungen im Stadtgebiet.';
const RUSSIAN =
  'Гарантия распространяется на все детали в течение двух лет со дня покупки. Если прибор не включается, проверьте, вставлена ли ' +
  'вилка в розетку и включён ли главный выключатель. Раз в месяц промывайте фильтр проточной водой и дайте ему высохнуть. Служба ' +
  'поддержки отвечает на звонки по рабочим дням с девяти до пяти, а на письма в течение одного дня.';
const GREEK =
  'Η εγγύηση καλύπτει όλα τα εξαρτήματα για δύο χρόνια από την ημέρα της αγοράς. Αν η συσκευή δεν ξεκινά, ελέγξτε αν το φις είναι ' +
  'στην πρίζα και αν ο κεντρικός διακόπτης είναι ανοιχτός. Καθαρίστε το φίλτρο μία φορά τον μήνα με τρεχούμενο νερό.';
const ARABIC =
  'يشمل الضمان جميع القطع لمدة سنتين من تاريخ الشراء. إذا لم يعمل الجهاز فتحقق من توصيل القابس بالمقبس ومن تشغيل المفتاح الرئيسي. ' +
  'نظّف المرشح مرة واحدة في الشهر تحت الماء الجاري واتركه حتى يجف قبل إعادته إلى مكانه. يجيب مركز خدمة العملاء على المكالمات من ' +
  'الساعة التاسعة حتى الخامسة في أيام العمل، وعلى الرسائل خلال يوم واحد. يمكن طلب قطع الغيار بالرقم المكتوب على الملصق في الجهة ' +
  'الخلفية من الغلاف، ويرجى الاحتفاظ بالفاتورة لأن تاريخها ضروري عند كل مطالبة. لا تستخدم الجهاز في الأماكن الرطبة أو قرب النار.';
const HEBREW =
  'האחריות חלה על כל החלקים למשך שנתיים מיום הקנייה. אם המכשיר אינו פועל, בדקו שהתקע מחובר לשקע ושהמתג הראשי דולק. נקו את המסנן ' +
  'פעם בחודש תחת מים זורמים והניחו לו להתייבש לפני שמחזירים אותו למקומו. שירות הלקוחות עונה לשיחות בימי העבודה מתשע עד חמש.';
const HINDI =
  'ख़रीद की तारीख से दो साल तक सभी पुर्ज़ों पर वारंटी लागू होती है। यदि मशीन चालू नहीं होती तो देखें कि प्लग सॉकेट में लगा है और मुख्य स्विच ' +
  'चालू है। फ़िल्टर को महीने में एक बार बहते पानी से साफ़ करें और लगाने से पहले सूखने दें। ग्राहक सेवा कार्य दिवसों में नौ से पाँच बजे तक उपलब्ध है।';
const THAI =
  'การรับประกันครอบคลุมชิ้นส่วนทั้งหมดเป็นเวลาสองปีนับจากวันที่ซื้อ หากเครื่องไม่ทำงานให้ตรวจสอบว่าเสียบปลั๊กและเปิดสวิตช์หลักแล้ว ' +
  'ทำความสะอาดตัวกรองเดือนละครั้งด้วยน้ำไหลและปล่อยให้แห้งก่อนใส่กลับ ฝ่ายบริการลูกค้ารับสายในวันทำการตั้งแต่เก้าโมงถึงห้าโมงเย็น';
const CHINESE =
  '本产品的保修期为自购买之日起两年，涵盖所有零部件。如果机器无法启动，请检查电源插头是否插好，主开关是否打开。每月用流水清洗一次滤网，晾干后再装回。'.repeat(
    8,
  );
const JAPANESE =
  '保証期間はお買い上げの日から二年間で、すべての部品が対象です。電源が入らない場合は、プラグがコンセントに差し込まれているかご確認ください。'.repeat(
    5,
  );
const KOREAN =
  '보증 기간은 구입일로부터 2년이며 모든 부품에 적용됩니다. 기기가 켜지지 않으면 플러그가 꽂혀 있는지, 주 전원 스위치가 켜져 있는지 확인하십시오. '.repeat(
    4,
  );
const VIETNAMESE =
  'Thời hạn bảo hành là hai năm kể từ ngày mua và áp dụng cho tất cả các bộ phận. Nếu máy không khởi động, hãy kiểm tra xem phích cắm ' +
  'đã được cắm vào ổ điện và công tắc chính đã bật chưa. Vệ sinh bộ lọc mỗi tháng một lần dưới vòi nước chảy và để khô trước khi lắp lại. ';
const POLISH =
  'Gwarancja obejmuje wszystkie części przez dwa lata od dnia zakupu. Jeżeli urządzenie się nie włącza, należy sprawdzić, czy wtyczka ' +
  'znajduje się w gniazdku i czy główny wyłącznik jest włączony. Chrząszcz brzmi w trzcinie w Szczebrzeszynie, a wstrząsy są bezwzględne.';
const CZECH =
  'Záruka se vztahuje na všechny díly po dobu dvou let ode dne nákupu. Pokud se přístroj nespustí, zkontrolujte, zda je zástrčka v ' +
  'zásuvce a zda je zapnutý hlavní vypínač. Čtvrtletně vyčistěte filtr pod tekoucí vodou a nechte jej uschnout, než jej vrátíte zpět.';
const CODE = `export function totalOf(items: readonly Item[]): number {
  let sum = 0;
  for (let i = 0; i < items.length; i++) { if (items[i]!.qty > 0 && !items[i]!.free) sum += items[i]!.price * (1 - rate); }
  return Math.round(sum * 100) / 100; // in euros
}
const [a, b] = [x => x * 2, (y) => ({ ...y, z: y?.z ?? -1 })]; while (!done) { done = next() === null || (n & 0xff) !== 0; }
`.repeat(4);
const PARTS = Array.from(
  { length: 120 },
  (_, at) => `BX-${7_000 + at * 37}-KLT | ZR${at}Q4 | M${at % 12}x${at % 80} | ${at * 3}.90 €`,
).join('\n');
const PRICES = Array.from(
  { length: 150 },
  (_, at) => `Art. ${10_000 + at} ..... ${at * 7}.${at % 90} EUR | -${at % 30} %`,
).join('\n');
const CODES = 'LHR JFK FRA MUC TXL DXB SYD NRT HND CDG AMS MAD BCN ZRH VIE CPH OSL ARN HEL PRG WAW BUD ATH IST '.repeat(
  10,
);

const shifted = (text: string): string =>
  Array.from(text)
    .map((sign) => (sign > ' ' ? String.fromCodePoint(Math.max(33, sign.codePointAt(0)! - 29)) : sign))
    .join('');

/** The letters of a font whose character map belongs to another font. */
const exchanged = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[a-z]/g, (letter) => 'qxzjkvbpwmygfucldhrsntoiae'['abcdefghijklmnopqrstuvwxyz'.indexOf(letter)]!);

const misread = (text: string, encoding: string): string => new TextDecoder(encoding).decode(Buffer.from(text));

const reverse = (text: string): string =>
  text
    .split(' ')
    .map((word) => Array.from(word).toReversed().join(''))
    .join(' ');

describe('the quality of a text', () => {
  it.each<[string, string]>([
    ['English', ENGLISH],
    ['German with long words', GERMAN],
    ['Russian', RUSSIAN],
    ['Greek', GREEK],
    ['Arabic', ARABIC],
    ['Hebrew', HEBREW],
    ['Hindi', HINDI],
    ['Thai', THAI],
    ['Chinese', CHINESE],
    ['Japanese', JAPANESE],
    ['Korean', KOREAN],
    ['Vietnamese', VIETNAMESE],
    ['Polish', POLISH],
    ['Czech', CZECH],
    ['a code listing', CODE],
    ['a list of part numbers', PARTS],
    ['a price list', PRICES],
    ['a list of airport codes', CODES],
    [
      'a list of links',
      'https://www.example.com/support/warranty-and-returns?lang=en&item=12345#conditions\n'.repeat(20),
    ],
    [
      'a table of contents with dots',
      'Installation .............................. 12\nMaintenance ............................. 13\n'.repeat(20),
    ],
    ['French quotations', 'Il a dit « déjà », « voilà » et « là-bas » ; « à bientôt » ! '.repeat(8)],
    ['a text in capitals', ENGLISH.toUpperCase()],
    ['a few words', 'Xvzt qrst.'],
    ['nothing', ''],
  ])('is good for %s', (_, text) => expect(qualityOf(text)).toEqual({ quality: 'good', reason: null }));

  it.each<[string, string, string]>([
    ['private characters of a font', ENGLISH.replace(/[aeiou]/g, '\ue123'), 'UNREADABLE_CHARACTERS'],
    [
      'replacement characters',
      misread(new TextDecoder('latin1').decode(Buffer.from(GERMAN, 'latin1')), 'utf-8').replace(/[a-f]/g, '\ufffd'),
      'UNREADABLE_CHARACTERS',
    ],
    ['a font whose codes are shifted', shifted(ENGLISH), 'IMPLAUSIBLE_LETTERS'],
    ['a font whose letters are exchanged', exchanged(ENGLISH), 'IMPLAUSIBLE_LETTERS'],
    ['German in UTF-8 read as windows-1252', misread(GERMAN, 'windows-1252'), 'WRONG_ENCODING'],
    ['Russian in UTF-8 read as windows-1251', misread(RUSSIAN, 'windows-1251'), 'WRONG_ENCODING'],
    [
      'Russian in windows-1251 read as windows-1252',
      RUSSIAN.replace(/[А-я]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x350)),
      'WRONG_ENCODING',
    ],
    [
      'English in UTF-16 with exchanged bytes',
      Buffer.from(ENGLISH, 'utf16le').swap16().toString('utf16le'),
      'WRONG_ENCODING',
    ],
    [
      'signs in place of letters',
      ENGLISH.replace(/[a-z]/g, (letter) => '!#$%&()*+,-./:;<=>?@[]^_{|}~"'[letter.charCodeAt(0) - 97]!),
      'MOSTLY_SIGNS',
    ],
    ['Arabic from left to right', reverse(ARABIC), 'REVERSED_LETTERS'],
    ['Hindi with vowel signs before their letters', reverse(HINDI), 'BROKEN_LETTERS'],
    ['words that run together', ENGLISH.replace(/ /g, ''), 'MISSING_SPACES'],
    ['letters that stand apart', Array.from(ENGLISH).join(' '), 'SEPARATED_LETTERS'],
  ])('is suspect for %s', (_, text, code) => {
    const { quality, reason } = qualityOf(text);
    expect([quality, reason?.split(':')[0]]).toEqual(['suspect', code]);
    expect(reason).toMatch(/(?:Export|Save) the document/);
  });

  it('covers glyphs that a PDF left out, and long documents passage by passage', () => {
    const meter = new TextQualityMeter();
    for (let passage = 0; passage < 3_000; passage++) meter.add(ENGLISH);
    expect(meter.verdict().quality).toBe('good');
    expect(meter.verdict(100_000).reason).toMatch(/^UNREADABLE_CHARACTERS: \d+ %/);
  });
});
