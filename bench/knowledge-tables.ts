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

const KINDS =
  'armchair bookcase bench cabinet desk dresser footstool lamp mirror nightstand planter rug sideboard shelf sofa stool table trolley vase wardrobe'.split(
    ' ',
  );
const COLOURS = ['black', 'blue', 'green', 'red', 'white'];
const MATERIALS = ['bamboo', 'glass', 'oak', 'steel', 'wool'];
const BRANDS = ['Bolden', 'Corvi', 'Dunmore', 'Estrel', 'Fjell', 'Grantham', 'Hollis'];

export interface Product {
  /** As in the table. */
  cells: string[];
  articleNumber: string;
  model: string;
  kind: string;
  colour: string;
  material: string;
}

/**
 * 500 products of ten columns: each combination of kind, colour and material once. Many values occur in many rows, as in a price
 * list; the texts of the last column end in a dot.
 */
export const PRODUCTS: Product[] = KINDS.flatMap((kind, k) =>
  COLOURS.flatMap((colour, c) =>
    MATERIALS.map((material, m) => productOf({ kind, colour, material }, 25 * k + 5 * c + m)),
  ),
);

const NAMES = ['Model', 'Product', 'Brand', 'Colour', 'Material', 'Weight', 'Price', 'In stock', 'Delivery'];
/** The second one has a name that ends in a dot, like the last column. */
export const PRODUCT_HEADERS = [
  ['Article number', ...NAMES],
  ['Article no.', ...NAMES],
];

function productOf(kept: Pick<Product, 'kind' | 'colour' | 'material'>, at: number): Product {
  const brand = BRANDS[at % BRANDS.length]!;
  const articleNumber = String(104_729 + at * 1_637);
  const model = `${brand.slice(0, 2).toUpperCase()}${10_007 + at * 163}`;
  const measures = [`${1 + (at % 38)}.${at % 10} kg`, `${19 + ((at * 7) % 480)}.90 EUR`, `${(at * 13) % 60}`];
  const cells = [
    articleNumber,
    model,
    kept.kind,
    brand,
    kept.colour,
    kept.material,
    ...measures,
    `within ${2 + (at % 9)} days.`,
  ];
  return { ...kept, cells, articleNumber, model };
}

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
