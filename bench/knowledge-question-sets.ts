import { resolve } from 'node:path';
import { eventually } from '../test/support/eventually.js';
import { KnowledgeClient, type Passage } from '../test/support/knowledge-client.js';
import type { Stack } from '../test/support/stack.js';
import { documentPath, testData } from '../test/support/test-data.js';
import { createAccount } from '../test/support/workspace.js';
import { PRODUCTS, type Product } from './knowledge-products.js';
import type { AskedQuestion } from './knowledge-retrieval-questions.js';
import { holdsRow } from './knowledge-tables.js';

/** Every second question of XQuAD: more would not change the result, but the time. */
export const EVERY = 2;
const PROCESSING_MS = 120_000;

/** Wordings of one question: the caller's, and a second one for `queries`. */
export interface Wordings {
  question: string;
  rewording?: string;
}

export interface Asked extends Wordings {
  /** Number of the paragraph. */
  right: number;
}

/** The paragraph that contains the answer. */
export function placed(paragraphs: string[], { question, rewording, answer }: AskedQuestion): Asked {
  const holders = paragraphs.flatMap((text, number) => (text.includes(answer) ? [number] : []));
  if (holders.length !== 1) throw new Error(`${holders.length} paragraphs contain "${answer}".`);
  return { question, rewording, right: holders[0]! };
}

/**
 * Questions without the third of their words that occur in the fewest paragraphs: the caller uses other words. The second wording
 * contains every second of these words again, like the attempt of a model.
 */
export function withoutRarest(paragraphs: string[], questions: readonly Asked[]): Asked[] {
  const frequencies = new Map<string, number>();
  for (const text of paragraphs)
    for (const word of new Set(wordsOf(text))) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  return questions.map(({ question, right }) => {
    const words = wordsOf(question);
    const byRarity = [...words.keys()].sort(
      (a, b) => (frequencies.get(words[a]!) ?? 0) - (frequencies.get(words[b]!) ?? 0),
    );
    const removed = byRarity.slice(0, Math.round(words.length / 3));
    const restored = removed.filter((_, at) => at % 2 === 1);
    const without = (left: number[]): string => words.filter((_, at) => !left.includes(at)).join(' ');
    return { question: without(removed), rewording: without(removed.filter((at) => !restored.includes(at))), right };
  });
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** From the whole list, with different kinds, colours and materials. */
export const someProducts = (count: number, first: number): Product[] =>
  Array.from({ length: count }, (_, n) => PRODUCTS[(first + n * 37) % PRODUCTS.length]!);

/** The complete row with the names of the columns, without which a model cannot interpret it. */
export const isRowOf =
  (header: string[], { cells }: Product) =>
  ({ text }: Passage): boolean =>
    holdsRow(text, cells) && header.every((name) => text.includes(name));

export const byAttributes = ({ kind, colour, material }: Product): Required<Wordings> => ({
  question: `how much is the ${colour} ${kind} made of ${material}?`,
  rewording: `price of product ${kind}, colour ${colour}, material ${material}`,
});

export const byArticleNumber = ({ articleNumber }: Product): Required<Wordings> => ({
  question: `can you tell me what ${articleNumber} costs and when it would arrive?`,
  rewording: `article no. ${articleNumber} price and delivery`,
});

export const byModel = ({ model }: Product): Required<Wordings> => ({
  question: `do you have model ${model} in stock?`,
  rewording: `${model} in stock`,
});

export const fileOf = (path: string): string =>
  path.startsWith('real/') && testData !== undefined ? documentPath(path) : resolve(path);

const plain = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();
export const holdsText = (text: string, answer: string): boolean => plain(text).includes(plain(answer));

export const clientOf = async (stack: Stack, name: string): Promise<KnowledgeClient> =>
  new KnowledgeClient(stack, await createAccount(stack, { name }));

export async function upload(client: KnowledgeClient, name: string, content: Uint8Array | string): Promise<void> {
  const { id } = await client.file(name, content);
  const isOver = ({ status }: { status: string }): boolean => status === 'completed' || status === 'failed';
  const { status, processing_error: error } = await eventually(() => client.get(id), isOver, PROCESSING_MS);
  if (status === 'failed') throw new Error(`${name}: ${error}`);
}
