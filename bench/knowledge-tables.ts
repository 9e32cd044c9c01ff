const PLACES = ['Berlin', 'Oslo', 'Porto', 'Lyon', 'Graz', 'Riga', 'Bern', 'Turin'];
const HEADER = ['Article', 'Place', 'Price', 'In stock', 'Remark'];

/** Tables of a price list, different in every cell; each long enough to need several passages. */
export const TABLES = 48;
const ROWS = 40;

const rowOf = (number: number, row: number): string[] => [
  `Pump model P${number}-${row}`,
  PLACES[(number + row) % PLACES.length]!,
  `${100 + number * 7 + row}.${row % 10}0 EUR`,
  String((number * 31 + row * 17) % 900),
  `Delivered within ${2 + (row % 9)} days, order number ${number}${row}${number}`,
];

export interface MadeTable {
  header: string[];
  rows: string[][];
}

export const priceList = (number: number): MadeTable => ({
  header: HEADER,
  rows: Array.from({ length: ROWS }, (_, row) => rowOf(number, row)),
});

/** The table as Markdown, with a sentence above it. */
export function markdownTable({ header, rows }: MadeTable): string {
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `# Prices\n\nAll prices include taxes.\n\n${lines.join('\n')}\n`;
}

export const csvOf = ({ header, rows }: MadeTable): string =>
  [header, ...rows].map((cells) => cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(',')).join('\n');

/** Pieces that are incomprehensible in their passage. */
export interface TableDamage {
  passages: number;
  headerless: number;
  rows: number;
  broken: number;
}

/** Passages with a part of the table but without its column names, and rows that no passage contains completely. */
export function damageOf(passages: string[], { header, rows }: MadeTable): TableDamage {
  const parts = passages.filter((passage) =>
    rows.some((cells) => cells.some((cell) => cell.length > 9 && passage.includes(cell))),
  );
  return {
    passages: parts.length,
    headerless: parts.filter((part) => !header.every((name) => part.includes(name))).length,
    rows: rows.length,
    broken: rows.filter((cells) => !parts.some((part) => holdsRow(part, cells))).length,
  };
}

/** Whether all cells follow each other closely. */
export function holdsRow(passage: string, cells: string[]): boolean {
  let from = passage.indexOf(cells[0]!);
  for (const cell of cells) {
    const at = from < 0 ? -1 : passage.indexOf(cell, from);
    if (at < 0 || at - from > 30) return false;
    from = at + cell.length;
  }
  return true;
}

const NOUNS = 'pump,hose,valve,filter,motor,drill,lamp,cable,switch,sensor,bracket,nozzle,tank,heater,fan,gauge'.split(
  ',',
);
const COLORS = 'red,blue,green,black,white,silver,yellow,orange,grey,brown,violet,turquoise'.split(',');
const MATERIALS = 'steel,brass,copper,plastic,rubber,aluminium,bronze,ceramic,glass,wood'.split(',');
const PRODUCT_HEADER = ['Article no.', 'Name', 'Color', 'Material', 'Size', 'kg', 'V', 'EUR', 'Qty.', 'Bin'];

export interface Product {
  /** `BO26232` */
  article: string;
  name: string;
  color: string;
  material: string;
}

/** Names repeat with every 1,920th product. */
export const productOf = (n: number): Product => ({
  article: `BO${20_000 + n}`,
  name: NOUNS[n % NOUNS.length]!,
  color: COLORS[Math.floor(n / 16) % COLORS.length]!,
  material: MATERIALS[Math.floor(n / 192) % MATERIALS.length]!,
});

/** A list of products with ten columns, as exported by a shop. */
export function productList(count: number): MadeTable {
  const rows = Array.from({ length: count }, (_, n) => {
    const { article, name, color, material } = productOf(n);
    const numbers = [`${n % 90}x${n % 37}`, n % 50, n % 3 === 0 ? 12 : 230, (n * 37) % 999, n % 120];
    return [article, name, color, material, ...numbers.map(String), `K${n % 800}`];
  });
  return { header: PRODUCT_HEADER, rows };
}

/** Questions of callers about one product, by kind. */
export const PRODUCT_QUESTIONS: Record<string, (product: Product) => string> = {
  'by article number': ({ article }) => `do you have model ${article} in stock?`,
  'with a hyphen': ({ article }) => `how much is ${article.replace('BO', 'BO-')}?`,
  'with a space': ({ article }) => `what about the bo ${article.slice(2)}`,
  'by attributes': ({ name, color, material }) => `Do you have a ${color} ${name} made of ${material}?`,
};
