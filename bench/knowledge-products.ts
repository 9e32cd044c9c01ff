const SEATS = ['armchair', 'bench', 'footstool', 'sofa', 'stool'];
const STORES = ['bookcase', 'cabinet', 'dresser', 'shelf', 'sideboard', 'trolley', 'wardrobe'];
const OTHERS = ['desk', 'lamp', 'mirror', 'nightstand', 'planter', 'rug', 'table', 'vase'];
const KINDS = [...SEATS, ...STORES, ...OTHERS];
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

const COUNT = KINDS.length * COLOURS.length * MATERIALS.length;
/** Has no common divisor with the count: a permutation of the products. */
const STEP = 211;

/**
 * 500 products of ten columns: each combination of kind, colour and material once, ordered by their numbers as in many price lists,
 * so that similar products are far from each other. The texts of the last column end in a dot.
 */
export const PRODUCTS: Product[] = Array.from({ length: COUNT }, (_, at) => {
  const n = (at * STEP) % COUNT;
  const kind = KINDS[Math.floor(n / 25)]!;
  return productOf({ kind, colour: COLOURS[Math.floor(n / 5) % 5]!, material: MATERIALS[n % 5]! }, at);
});

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
