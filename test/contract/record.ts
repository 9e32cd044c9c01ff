/**
 * Records the answers of the built service to wrong requests (`npm run contract:record`): see README.md in this folder.
 *
 * 1. All candidates are sent once. Some are right, and change what later ones find.
 * 2. Those with a 4xx are sent again with new fixtures, until no request of a round is right: its answers are recorded.
 * 3. The same with other fixtures, in another order: answers that differ for no reason of the fixtures are left out.
 */
import { createHash } from 'node:crypto';
import { operations } from '../support/api-document.js';
import { Exchange, type Pair, type StoredAnswer } from './exchange.js';
import { Endpoints, makeFixtures } from './fixtures.js';
import { writePairs } from './pairs.js';
import { templateOf, type Values } from './placeholders.js';
import { candidatesOf, withoutRoute, type Candidate } from './requests.js';
import { ContractService } from './service.js';

/** Candidates of one route; those beyond are left out by their hash. */
const MAX_CANDIDATES = Number(process.env.CONTRACT_CANDIDATES ?? 1_500);
/** Pairs of one route, and of those with the same answer. */
const MAX_PAIRS = 240;
const MAX_SAME_ANSWERS = 2;
const MAX_SAME_SURE_ANSWERS = 8;
const MAX_ROUNDS = 12;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const keyOf = ({ request }: Candidate): string => JSON.stringify(request);

/** The first `count` by the hash of what they are, in their former order. */
function sample<T>(all: readonly T[], count: number, name: (one: T) => string): T[] {
  if (all.length <= count) return [...all];
  const hashed = all.map((one, index) => ({ one, index, hash: hash(name(one)) }));
  const chosen = hashed.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)).slice(0, count);
  return chosen.toSorted((a, b) => a.index - b.index).map(({ one }) => one);
}

function groupedBy<T, K>(all: Iterable<T>, keyOfOne: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOfOne(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

async function allCandidates(): Promise<Candidate[]> {
  const routes = await operations();
  const found = [...routes.map(candidatesOf), withoutRoute(routes)].flatMap((some) =>
    // Sampled are only the bodies with a wrong field, of which the large formats have thousands.
    [
      ...some.filter(({ case: what }) => !isOfField(what)),
      ...sample(
        some.filter(({ case: what }) => isOfField(what)),
        MAX_CANDIDATES,
        keyOf,
      ),
    ],
  );
  return [...new Map(found.map((one) => [keyOf(one), one])).values()];
}

const isOfField = (what: string): boolean => /^[\w.]+: /.test(what) && what.split(':')[0]!.includes('.');

class Recorder {
  private readonly endpoints: Endpoints[] = [];

  constructor(
    private readonly service: ContractService,
    private readonly exchange: Exchange,
  ) {}

  async fixtures(): Promise<Values> {
    const endpoints = await Endpoints.start();
    this.endpoints.push(endpoints);
    return makeFixtures(this.service, endpoints);
  }

  /** The answers in the order of the candidates, which are sent turn by turn. */
  async answers(candidates: readonly Candidate[], values: Values): Promise<Map<Candidate, StoredAnswer>> {
    const answers = new Map<Candidate, StoredAnswer>();
    for (const turn of [...new Set(candidates.map((one) => one.turn))].toSorted((a, b) => a - b)) {
      const some = candidates.filter((one) => one.turn === turn);
      const received = await this.exchange.sendAll(
        some.map(({ request }) => request),
        values,
      );
      some.forEach((one, index) => answers.set(one, received[index]!));
    }
    return answers;
  }

  async close(): Promise<void> {
    await Promise.all(this.endpoints.map((one) => one.close()));
  }
}

const isSure = (one: Candidate): boolean => one.isSure === true;

const isWrong = ({ status }: StoredAnswer): boolean => status >= 400 && status < 500 && status !== 429;

/** Few of many requests of a route with the same answer. */
function thinned(answers: Map<Candidate, StoredAnswer>): Candidate[] {
  const byRoute = groupedBy(answers.keys(), ({ route }) => route);
  return [...byRoute.values()].flatMap((some) => {
    const byAnswer = groupedBy(some, (one) => JSON.stringify(answers.get(one)));
    const sure = [...byAnswer.values()].flatMap((same) => sample(same.filter(isSure), MAX_SAME_SURE_ANSWERS, keyOf));
    const few = [...byAnswer.values()].flatMap((same) =>
      sample(
        same.filter((one) => !isSure(one)),
        MAX_SAME_ANSWERS,
        keyOf,
      ),
    );
    return [...sure, ...sample(few, MAX_PAIRS, keyOf)];
  });
}

const answerKey = (one: Candidate, answers: Map<Candidate, StoredAnswer>): string =>
  `${one.route} ${JSON.stringify(answers.get(one))}`;

async function record(recorder: Recorder): Promise<Pair[]> {
  const candidates = await allCandidates();
  say(`${candidates.length} candidates`);
  const explored = await recorder.answers(candidates, await recorder.fixtures());
  report(explored);
  for (const [one, answer] of explored) if (!isWrong(answer)) explored.delete(one);
  let chosen = thinned(explored);
  let before = explored;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const values = await recorder.fixtures();
    const answers = await recorder.answers(chosen, values);
    const right = chosen.filter((one) => !isWrong(answers.get(one)!));
    say(`round ${round}: ${right.length} of ${chosen.length} requests are right`);
    if (right.length === 0) return compare(recorder, chosen, answers, values);
    for (const one of right) say(`  ${answers.get(one)!.status}: ${one.route} (${one.case})`);
    // The others with this answer were refused for what an earlier request had made.
    const doubtful = new Set(right.map((one) => answerKey(one, before)));
    chosen = chosen.filter((one) => !right.includes(one) && (isSure(one) || !doubtful.has(answerKey(one, before))));
    before = answers;
  }
  throw new Error(`After ${MAX_ROUNDS} rounds, some requests still succeed.`);
}

async function compare(
  recorder: Recorder,
  chosen: readonly Candidate[],
  answers: Map<Candidate, StoredAnswer>,
  values: Values,
): Promise<Pair[]> {
  const otherValues = await recorder.fixtures();
  const shuffled = chosen
    .toSorted((a, b) => (hash(keyOf(a)) < hash(keyOf(b)) ? -1 : 1))
    .map((one) => ({ ...one, turn: 0 }));
  const others = await recorder.answers(shuffled, otherValues);
  const byKey = new Map([...others].map(([one, answer]) => [keyOf(one), answer]));
  const pairs: Pair[] = [];
  for (const one of chosen) {
    const [answer, other] = [answers.get(one)!, byKey.get(keyOf(one))!];
    const body = templateOf(answer.body, other.body, values, otherValues);
    const isSame = answer.status === other.status && JSON.stringify(answer.headers) === JSON.stringify(other.headers);
    if (body === undefined || !isSame) {
      say(
        `left out, its answers differ: ${one.route} (${one.case})\n  ${JSON.stringify(answer)}\n  ${JSON.stringify(other)}`,
      );
      continue;
    }
    pairs.push({ route: one.route, case: one.case, request: one.request, answer: { ...answer, body } });
  }
  return pairs;
}

/** Answers that nobody should get. */
function report(answers: Map<Candidate, StoredAnswer>): void {
  const statuses = groupedBy(answers.values(), ({ status }) => status);
  say(
    [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, some]) => `${status}: ${some.length}`)
      .join(', '),
  );
  for (const [one, { status, body }] of answers)
    if (status >= 500)
      say(
        `${status}: ${one.route} (${one.case}) ${JSON.stringify(one.request).slice(0, 500)}\n  ${body.slice(0, 500)}`,
      );
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const service = await ContractService.start();
const exchange = new Exchange(service.baseUrl);
const recorder = new Recorder(service, exchange);
try {
  const pairs = await record(recorder);
  console.table(await writePairs(pairs));
  say(`${pairs.length} pairs of ${new Set(pairs.map(({ route }) => route)).size} routes`);
} finally {
  exchange.close();
  await recorder.close();
  await service.stop();
}
