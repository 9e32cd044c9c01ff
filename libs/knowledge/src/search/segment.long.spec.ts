import { CooperativeYield } from '@app/common';
import { describe, expect, it } from '@jest/globals';
import { agentIndex, type AgentIndex, chunkAt, knowledgeBaseOf, placeOf } from './agent-index.js';
import { queryTerms } from './query-terms.js';
import { rank } from './ranking.js';
import { combine, compact, type IndexSource, type Segment, SegmentBuilder } from './segment.js';

interface Knowledge {
  source: IndexSource;
  /** Id of the first chunk. */
  firstId: number;
  texts: string[];
}

const pacing = new CooperativeYield();

async function segmentOf(...knowledge: Knowledge[]): Promise<Segment> {
  const builder = new SegmentBuilder();
  for (const { source, firstId, texts } of knowledge)
    for (const [at, text] of texts.entries()) builder.add({ id: firstId + at, text, headingPath: [] }, source, at);
  return builder.seal(pacing);
}

/** The results with ids and knowledge bases, which must not depend on the segments. */
const found = (index: AgentIndex, ...queries: string[]) =>
  rank(index, queryTerms(index, queries), 50).map(({ segment, chunk, score }) => ({
    id: segment.ids[chunk],
    knowledgeBase: knowledgeBaseOf({ segment, chunk }),
    score,
  }));

/** A small deterministic generator of numbers below `limit`. */
function dice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const WORDS = 'garage parking breakfast restaurant towel window cancellation reservation dog euro night pool key'.split(
  ' ',
);

function aKnowledge(throwDice: (limit: number) => number, id: number, generation: number, firstId: number): Knowledge {
  const texts = Array.from({ length: 1 + throwDice(4) }, () =>
    Array.from({ length: 3 + throwDice(9) }, () => WORDS[throwDice(WORDS.length)]!).join(' '),
  );
  return { source: { knowledgeBaseId: id, generation, title: `Page ${id}` }, firstId, texts };
}

describe('an index of many small knowledge bases', () => {
  it.each([1, 2, 3])('gives the results of a new index after many changes (series %i)', async (seed) => {
    const throwDice = dice(seed);
    const serving = new Map<number, Knowledge>();
    let segments: Segment[] = [];
    for (let change = 1; change <= 60; change += 1) {
      const id = 1 + throwDice(25);
      const serves = (one: IndexSource) => one.knowledgeBaseId !== id;
      const kept: Segment[] = [];
      for (const segment of segments) {
        const parts = segment.parts.filter(({ source }) => serves(source));
        if (parts.length > 0) kept.push(await combine([{ segment, parts }], pacing));
      }
      serving.delete(id);
      if (throwDice(4) > 0) {
        const knowledge = aKnowledge(throwDice, id, change, change * 100);
        serving.set(id, knowledge);
        kept.push(await segmentOf(knowledge));
      }
      segments = await compact(kept, pacing);
      const inOrder = [...serving.values()].toSorted((a, b) => a.source.knowledgeBaseId - b.source.knowledgeBaseId);
      const fresh = agentIndex('1', [await segmentOf(...inOrder)]);
      const changed = agentIndex('1', segments);
      for (const query of ['parking garage', 'breakfest', 'page 7', 'dog euro night', 'res'])
        expect(found(changed, query)).toEqual(found(fresh, query));
    }
    expect(segments.length).toBeLessThanOrEqual(8);
  });

  it('finds every chunk by its id and by its position', async () => {
    const throwDice = dice(9);
    const knowledge = Array.from({ length: 30 }, (_, at) => aKnowledge(throwDice, 30 - at, 1, at * 10));
    const index = agentIndex('1', await compact(await Promise.all(knowledge.map((one) => segmentOf(one))), pacing));
    const expected = knowledge.flatMap(({ source, firstId, texts }) =>
      texts.map((_, at) => ({ id: firstId + at, knowledgeBase: source.knowledgeBaseId })),
    );
    const places = expected.map(({ id }) => placeOf(index, id)!);
    expect(
      places.map((place) => ({ id: place.segment.ids[place.chunk], knowledgeBase: knowledgeBaseOf(place) })),
    ).toEqual(expected);
    expect(placeOf(index, 9_999)).toBeUndefined();
    const inReadingOrder = Array.from({ length: index.chunks }, (_, at) => knowledgeBaseOf(chunkAt(index, at)));
    expect(inReadingOrder).toEqual(inReadingOrder.toSorted((a, b) => a - b));
  });

  it('needs far less memory than a segment for each of them', async () => {
    const throwDice = dice(4);
    const knowledge = Array.from({ length: 500 }, (_, at) => aKnowledge(throwDice, at, 1, at * 10));
    const single = await Promise.all(knowledge.map((one) => segmentOf(one)));
    const few = await compact(single, pacing);
    const bytes = (segments: Segment[]) => segments.reduce((total, segment) => total + segment.bytes, 0);
    expect(few.length).toBeLessThanOrEqual(8);
    expect(bytes(few)).toBeLessThan(bytes(single) / 10);
  });
});
