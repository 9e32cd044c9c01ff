/** What must be known of a model to use it well. */
export interface ModelFacts {
  dimensions: number;
  /** It gives shorter vectors when `dimensions` of the request asks for them. */
  shortens: boolean;
  /** What the model wants to see before a question and before a passage; trained with them, it finds worse without. */
  queryPrefix: string;
  passagePrefix: string;
  /** How a local model makes one vector of those of its tokens. */
  pooling: 'mean' | 'cls';
}

const PLAIN: ModelFacts = { dimensions: 0, shortens: false, queryPrefix: '', passagePrefix: '', pooling: 'mean' };
const E5 = { ...PLAIN, queryPrefix: 'query: ', passagePrefix: 'passage: ' };
const BGE = { ...PLAIN, pooling: 'cls' as const };
const BGE_EN = { ...BGE, queryPrefix: 'Represent this sentence for searching relevant passages: ' };
const NOMIC = { ...PLAIN, queryPrefix: 'search_query: ', passagePrefix: 'search_document: ' };

/** From the models' cards. The first that matches counts. */
const KNOWN: readonly [RegExp, ModelFacts][] = [
  [/^text-embedding-3-small$/, { ...PLAIN, dimensions: 1536, shortens: true }],
  [/^text-embedding-3-large$/, { ...PLAIN, dimensions: 3072, shortens: true }],
  [/^text-embedding-ada-002$/, { ...PLAIN, dimensions: 1536 }],
  [/^nomic-embed-text/, { ...NOMIC, dimensions: 768 }],
  [/^mxbai-embed-large/, { ...BGE_EN, dimensions: 1024 }],
  [/^bge-m3$/, { ...BGE, dimensions: 1024 }],
  [/^bge-small-en/, { ...BGE_EN, dimensions: 384 }],
  [/^bge-base-en/, { ...BGE_EN, dimensions: 768 }],
  [/^bge-large-en/, { ...BGE_EN, dimensions: 1024 }],
  [/^all-minilm/, { ...PLAIN, dimensions: 384 }],
  [/^(?:multilingual-)?e5-small(?:-v2)?$/, { ...E5, dimensions: 384 }],
  [/^(?:multilingual-)?e5-base(?:-v2)?$/, { ...E5, dimensions: 768 }],
  [/^(?:multilingual-)?e5-large(?:-v2)?$/, { ...E5, dimensions: 1024 }],
];

/** Facts of a model by its name, with or without its publisher (`Xenova/…`) and tag (`…:latest`); of others `dimensions` is 0. */
export function factsOf(model: string): ModelFacts {
  const name = model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '');
  return KNOWN.find(([pattern]) => pattern.test(name))?.[1] ?? PLAIN;
}
