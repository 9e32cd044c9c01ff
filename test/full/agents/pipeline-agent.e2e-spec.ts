import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf } from '../../support/api-client.js';
import { Stack } from '../../support/stack.js';
import { suiteWith } from '../../support/suite-with.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

/** How long each part of an answer takes at least, in milliseconds: far from the times after which the agent fills the silence. */
const DELAYS = { model: 200, synthesizer: 100, tool: 150 };

/** What the transcriber recognises in the utterances of the phone, and what the model answers. */
const SCRIPT = {
  legs: {
    hears: ['Where is my order?', 'What does it cost?', 'I see, thank you, bye.', 'Bye.'],
    model: [{ do: 'slow', delay_ms: DELAYS.model }],
    synthesizer: [{ do: 'slow', delay_ms: DELAYS.synthesizer }],
  },
  rules: [
    { on: { text: 'order' }, call: { tool: 'find_order', arguments: { order_id: 4711 } } },
    { on: { tool: 'find_order', failed: false }, say: 'Your order is {{result.lookup.status}}.' },
    { on: { text: 'cost' }, say: 'It costs ten dollars.' },
    { on: { text: 'bye' }, say: 'Goodbye.', hang_up: true },
  ],
};

interface Cost {
  kind: string;
  quantity: number;
  unit_price: number;
  amount: number;
}

interface EndedCall {
  call_id: string;
  status: string;
  hangup_cause: string;
  cost: number;
  realtime_cost: number;
  costs: Cost[];
  transcript: Schemas['TranscriptTurnDto'][];
  tool_calls: { name: string; ok: boolean; result: unknown }[];
}

type CallWithNumbers = Schemas['CallWithResultsDto'];

/** The vendors of the three legs, with the prices of docs/price-book.yaml. */
const VENDORS: readonly (readonly Record<string, number>[])[] = [
  [{ deepgram: 0.000128 }, { openai: 0.01 }, { elevenlabs: 0.05 }],
  [{ assemblyai: 0.000125 }, { anthropic: 0.015 }, { cartesia: 0.039 }],
  [{ openai: 0.0001 }, { google: 0.0025 }, { deepgram: 0.03 }],
  [{ deepgram: 0.000128 }, { 'openai-compatible': 0 }, { openai: 0.00025 }],
];
const leg = (prices: Record<string, number> = {}) => ({ provider: Object.keys(prices)[0] });

const micros = (usd: number): number => Math.round(usd * 1e6);
const sum = (costs: readonly Cost[]): number => costs.reduce((total, { amount }) => total + micros(amount), 0);

describe('an agent with a pipeline', () => {
  let phone: SandboxPhone;
  let sink: WebhookSink;
  let shop: WebhookReceiver;
  let stack: Stack;

  /** As under `npm start` without a key: the sandbox server plays all vendors. */
  beforeAll(async () => {
    [sink, shop] = await Promise.all([WebhookSink.start(), WebhookReceiver.start()]);
    shop.answer = (_, response) => {
      const answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"shipped"}');
      setTimeout(answer, DELAYS.tool);
    };
    const log = { debug: () => {}, warn: () => {} };
    phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: { min: 28_600, max: 28_799 }, log });
    const vendors = ['DEEPGRAM', 'ASSEMBLYAI', 'OPENAI', 'ANTHROPIC', 'GOOGLE', 'COMPATIBLE', 'ELEVENLABS', 'CARTESIA'];
    const played = Object.fromEntries(vendors.map((name) => [`${name}_URL`, 'sandbox']));
    stack = await Stack.start({ env: { ...played, PRICE_BOOK: 'docs/price-book.yaml' } });
  });

  afterAll(async () => {
    await stack?.stop();
    await phone?.close();
    await sink?.close();
    await shop?.close();
  });

  const account = (name: string, agent: object): Promise<TestAccount> =>
    createAccount(stack, {
      name,
      webhookUrl: `${sink.url}/hook`,
      trunk: { port: phone.port },
      agent: { provider: 'pipeline', ...agent },
    });

  /** The post-call webhook of a call. */
  async function called(own: TestAccount, extension: string): Promise<EndedCall> {
    const { call_id: id } = await apiOf(stack, own).createCall({
      to_number: `sip:${extension}@127.0.0.1:${phone.port}`,
    });
    await sink.until(() => sink.eventsOf(id).includes('ended'));
    return sink.of(id).find(({ body }) => body.event === 'ended')?.body.data as unknown as EndedCall;
  }

  const createTool = (own: TestAccount): Promise<unknown> =>
    apiOf(stack, own).createTool({
      name: 'find_order',
      description: 'Finds an order.',
      parameters: { type: 'object', properties: { order_id: { type: 'integer' } }, required: ['order_id'] },
      webhook_actions: [{ name: 'lookup', url: shop.url('/orders/{{args.order_id}}'), method: 'GET' }],
    });

  function expectExactBill({ cost, realtime_cost: realtime, costs }: EndedCall): void {
    expect(sum(costs)).toBe(micros(cost));
    expect(sum(costs.filter(({ kind }) => kind !== 'carrier_seconds'))).toBe(micros(realtime));
    // Half a micro-dollar is rounded; a binary product is off by a little more.
    for (const { quantity, unit_price: price, amount } of costs)
      expect(Math.abs(micros(amount) - quantity * micros(price))).toBeLessThan(0.500001);
  }

  /** Each part contains the delay of its cause; together they are the whole. */
  function expectItemised({ transcript }: EndedCall, call: CallWithNumbers): void {
    const latencies = transcript.flatMap(({ latency }) => (latency ? [latency] : []));
    expect(latencies).toHaveLength(3);
    for (const { parts, heard_ms: heard } of latencies) {
      const { endpointing_ms, model_ms, tools_ms, synthesis_ms, playout_ms } = parts;
      expect(endpointing_ms + model_ms + tools_ms + (synthesis_ms ?? 0) + playout_ms).toBe(heard);
      expect(synthesis_ms).toBeGreaterThanOrEqual(DELAYS.synthesizer);
    }
    // The model of the first answer runs twice: it calls the tool, and it speaks of the result.
    const [withTool, ...others] = latencies.map(({ parts }) => parts);
    expect(withTool?.tools_ms).toBeGreaterThanOrEqual(DELAYS.tool);
    expect(withTool?.model_ms).toBeGreaterThanOrEqual(DELAYS.model);
    for (const { tools_ms: tools } of others) expect(tools).toBeLessThan(DELAYS.tool);
    const heard = latencies.map(({ heard_ms: ms }) => ms).toSorted((a, b) => a - b);
    const total = { p50_ms: heard[1], p90_ms: heard[2], max_ms: heard[2] };
    expect(call.latency).toMatchObject({ answers: 3, total, tools: { max_ms: withTool?.tools_ms } });
    expect(call.quality).toMatchObject({ codec: 'PCMU', received: { loss_rate: 0 }, sent: { loss_rate: 0 } });
    expect(call.turns).toEqual({ agent: 4, user: 3 });
    expect(call.interruptions).toEqual({ by_user: 0, false: 0, ignored: 0 });
    expect(call.talk?.agent_ms).toBeGreaterThan(1_000);
  }

  it('hears the user, calls a tool, answers and says goodbye; transcript and bill have each leg, the latency each part', async () => {
    const own = await account('piped', { script: SCRIPT });
    await createTool(own);
    const call = await called(own, 'answer');
    expect(call).toMatchObject({ status: 'completed', hangup_cause: 'agent_hangup' });
    const saidBy = (role: string): string[] =>
      call.transcript.flatMap((turn) => (turn.role === role ? [turn.text] : []));
    expect(saidBy('agent')).toEqual([
      'Hello, this is ACME.',
      'Your order is shipped.',
      'It costs ten dollars.',
      'Goodbye.',
    ]);
    // A sentence of the phone that a stall of the machine cuts is two utterances: the next line of the script is heard with it.
    const lines = SCRIPT.legs.hears.slice(0, 3).join(' ');
    expect([lines, `${lines} Bye.`]).toContain(saidBy('callee').join(' '));
    expect(call.transcript.map(({ role }) => role)).toEqual([...Array(3).fill(['agent', 'callee']).flat(), 'agent']);
    expect(shop.received.map(({ path }) => path)).toEqual(['/orders/4711']);
    expect(call.tool_calls).toMatchObject([
      { name: 'find_order', ok: true, result: { lookup: { status: 'shipped' } } },
      { name: 'end_call', ok: true },
    ]);
    expect(new Set(call.costs.map(({ kind }) => kind))).toEqual(
      new Set([
        'transcription_seconds',
        'input_text_tokens',
        'output_text_tokens',
        'synthesis_characters',
        'carrier_seconds',
        'tool_calls',
      ]),
    );
    const free = call.costs.filter(({ unit_price: price }) => price === 0);
    expect(free.map(({ kind }) => kind)).toEqual(['tool_calls']);
    expectExactBill(call);
    const stored = await apiOf(stack, own).call(call.call_id);
    expectItemised(call, stored);
    const { quality, latency, interruptions, turns, talk } = stored;
    expect(call).toMatchObject({ quality, latency, interruptions, turns, talk });
  });

  it('talks without keys with each vendor, which the sandbox server plays; the bill has the prices of the vendors', async () => {
    const spoken = await Promise.all(
      VENDORS.map(async ([transcriber, model, synthesizer]) => {
        const legs = { transcriber: leg(transcriber), model: leg(model), synthesizer: leg(synthesizer) };
        const own = await account(
          Object.values(legs)
            .map(({ provider }) => provider)
            .join(' '),
          { pipeline: legs },
        );
        return called(own, 'press_1_9');
      }),
    );
    const completed = { status: 'completed', hangup_cause: 'agent_hangup' };
    expect(spoken).toMatchObject(VENDORS.map(() => completed));
    const pricesOf = ({ costs }: EndedCall, kind: RegExp): number[] =>
      costs.filter((one) => kind.test(one.kind)).map(({ unit_price: price }) => price);
    const kinds = [/^transcription_/, /^output_text/, /^synthesis_/];
    expect(spoken.map((call) => kinds.flatMap((kind) => pricesOf(call, kind)))).toEqual(
      VENDORS.map((legs) => legs.flatMap((prices) => Object.values(prices))),
    );
    spoken.forEach(expectExactBill);
  });

  suiteWith(['espeak-ng'])('with a program of this machine', () => {
    it('speaks, which costs nothing', async () => {
      const synthesizer = { provider: 'program', model: 'espeak-ng' };
      const own = await account('program', { pipeline: { synthesizer } });
      const call = await called(own, 'press_1_9');
      expect(call).toMatchObject({ status: 'completed', hangup_cause: 'agent_hangup' });
      // The phone presses its keys after it has heard the agent.
      const [greeting] = call.transcript.filter(({ role }) => role === 'agent');
      expect(greeting).toMatchObject({ text: 'Hello, this is ACME.', truncated: false });
      expect(call.costs.filter(({ kind }) => kind.startsWith('synthesis_'))).toEqual([]);
      expectExactBill(call);
    });
  });
});
