/** Properties of a model. */
export interface ModelFacts {
  /** The length of its vectors; 0: unknown. */
  dimensions: number;
  /** It returns vectors of another length if the request asks for one. */
  shortens: boolean;
  /** The length that it returns unasked, if it is not `dimensions`. */
  unasked?: number;
  /** Prefixes that the model expects before questions and passages; results are worse without them. */
  queryPrefix: string;
  passagePrefix: string;
  /** How the vectors of the tokens are combined; endpoints do it themselves. */
  pooling: 'mean' | 'cls';
  /** ISO 639-1 codes of the only languages that it knows; absent: many. */
  languages?: readonly string[];
}

const PLAIN: ModelFacts = { dimensions: 0, shortens: false, queryPrefix: '', passagePrefix: '', pooling: 'mean' };
const ENGLISH = { languages: ['en'] };
const E5 = { ...PLAIN, queryPrefix: 'query: ', passagePrefix: 'passage: ' };
const BGE = { ...PLAIN, pooling: 'cls' as const };
const BGE_EN = { ...BGE, ...ENGLISH, queryPrefix: 'Represent this sentence for searching relevant passages: ' };
const NOMIC = { ...PLAIN, ...ENGLISH, queryPrefix: 'search_query: ', passagePrefix: 'search_document: ' };

/** From the model cards and the vendors' references. The first match applies. */
const KNOWN: readonly [RegExp, ModelFacts][] = [
  [/^text-embedding-3-small$/, { ...PLAIN, dimensions: 1536, shortens: true }],
  [/^text-embedding-3-large$/, { ...PLAIN, dimensions: 3072, shortens: true }],
  [/^text-embedding-ada-002$/, { ...PLAIN, dimensions: 1536 }],
  // Half of its length, without a measurable loss by its model card.
  [/^gemini-embedding-001$/, { ...PLAIN, dimensions: 1536, shortens: true, unasked: 3072 }],
  [/^mistral-embed$/, { ...PLAIN, dimensions: 1024 }],
  [/^embed-v4\.0$/, { ...PLAIN, dimensions: 1536, shortens: true }],
  [/^embed-(?:english|multilingual)-v3\.0$/, { ...PLAIN, dimensions: 1024 }],
  [/^embed-(?:english|multilingual)-light-v3\.0$/, { ...PLAIN, dimensions: 384 }],
  [/^voyage-(?:3\.5(?:-lite)?|3-large)$/, { ...PLAIN, dimensions: 1024, shortens: true }],
  [/^nomic-embed-text/, { ...NOMIC, dimensions: 768 }],
  [/^mxbai-embed-large/, { ...BGE_EN, dimensions: 1024 }],
  [/^bge-m3$/, { ...BGE, dimensions: 1024 }],
  [/^bge-small-en/, { ...BGE_EN, dimensions: 384 }],
  [/^bge-base-en/, { ...BGE_EN, dimensions: 768 }],
  [/^bge-large-en/, { ...BGE_EN, dimensions: 1024 }],
  [/^all-minilm/, { ...PLAIN, ...ENGLISH, dimensions: 384 }],
  [/^multilingual-e5-small$/, { ...E5, dimensions: 384 }],
  [/^multilingual-e5-base$/, { ...E5, dimensions: 768 }],
  [/^multilingual-e5-large$/, { ...E5, dimensions: 1024 }],
  [/^e5-small(?:-v2)?$/, { ...E5, ...ENGLISH, dimensions: 384 }],
  [/^e5-base(?:-v2)?$/, { ...E5, ...ENGLISH, dimensions: 768 }],
  [/^e5-large(?:-v2)?$/, { ...E5, ...ENGLISH, dimensions: 1024 }],
];

/**
 * Properties of a model by its name, with or without publisher (`Xenova/…`) and tag (`…:latest`); `dimensions` is 0
 * for unknown models.
 */
export function factsOf(model: string): ModelFacts {
  const name = model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '');
  return KNOWN.find(([pattern]) => pattern.test(name))?.[1] ?? PLAIN;
}
