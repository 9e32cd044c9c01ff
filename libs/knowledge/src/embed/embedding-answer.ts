import { z } from 'zod';
import { EmbeddingsRefused, EmbeddingsUnavailable } from './embedder.js';
import { normalised, vectorOf } from './float32.js';

const answer = z.object({
  data: z.array(
    z.object({ index: z.number().int().min(0).optional(), embedding: z.union([z.string(), z.array(z.number())]) }),
  ),
});

/**
 * The vectors of an answer in the order of the texts, each 1 long; undefined where one has no direction. Base64 and lists of
 * numbers are both taken: which one comes is up to the server, whatever was asked for.
 * @throws EmbeddingsUnavailable when it is no JSON (a proxy's page), EmbeddingsRefused when the vectors are not those asked for.
 */
export function vectorsOf(body: string, texts: number, dimensions: number): (Float32Array | undefined)[] {
  const parsed = answer.safeParse(jsonOf(body));
  if (!parsed.success) throw new EmbeddingsRefused('The embeddings endpoint does not answer as OpenAI documents it.');
  const { data } = parsed.data;
  const vectors = new Array<Float32Array | undefined>(texts).fill(undefined);
  const places = new Set(data.map(({ index }, place) => index ?? place));
  if (data.length !== texts || places.size !== texts || Math.max(...places) >= texts)
    throw new EmbeddingsRefused(`The embeddings endpoint answered ${data.length} vectors to ${texts} texts.`);
  for (const [place, { index = place, embedding }] of data.entries())
    vectors[index] = normalised(ofLength(numbersOf(embedding), dimensions));
  return vectors;
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new EmbeddingsUnavailable('The embeddings endpoint answered something other than JSON.', { cause: error });
  }
}

const numbersOf = (embedding: string | number[]): Float32Array =>
  typeof embedding === 'string' ? vectorOf(Buffer.from(embedding, 'base64')) : Float32Array.from(embedding);

function ofLength(vector: Float32Array, dimensions: number): Float32Array {
  if (vector.length === dimensions) return vector;
  throw new EmbeddingsRefused(
    `The model answers vectors of ${vector.length} numbers, not ${dimensions}: set EMBEDDINGS_DIMENSIONS=${vector.length}.`,
  );
}
