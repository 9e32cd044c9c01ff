import type { PhoneCallRecord } from '@app/sandbox/phone';
import { ANSWER, ARTICLE, DESK_NAME, type DemoResults, PRICE_LIST, QUESTION, REFUNDS, TOOL } from './demo-api.js';
import { type DemoWebhook, ORDER, type ShopOrder } from './demo-receivers.js';

/** Prints each event with the seconds since the start, and keeps the lines for `timeline.txt`. */
export class Timeline {
  readonly lines: string[] = [];
  private readonly start = performance.now();

  say(what: string): void {
    const seconds = ((performance.now() - this.start) / 1_000).toFixed(2).padStart(6);
    this.lines.push(`${seconds} s  ${what}`);
    console.log(`  ${this.lines.at(-1)}`);
  }
}

interface Check {
  what: string;
  ok: boolean;
  /** What was found instead. */
  found?: string;
}

/** Prints the checks. @returns whether all passed */
export function report(checks: Check[]): boolean {
  for (const check of checks) {
    const found = check.ok || check.found === undefined ? '' : ` (found: ${check.found})`;
    console.log(`  ${check.ok ? 'ok    ' : 'FAILED'}  ${check.what}${found}`);
  }
  return checks.every((check) => check.ok);
}

const HEADER_BYTES = 44;
const SILENCE_RMS = 100;

/** Root mean square of each channel of a stereo 16-bit WAV: the user is on the left, the agent on the right. */
function channelLoudness(wav: Buffer): { user: number; agent: number } {
  const sums = [0, 0];
  const frames = Math.floor((wav.length - HEADER_BYTES) / 4);
  for (let frame = 0; frame < frames; frame++) {
    const at = HEADER_BYTES + frame * 4;
    sums[0]! += wav.readInt16LE(at) ** 2;
    sums[1]! += wav.readInt16LE(at + 2) ** 2;
  }
  const [user, agent] = sums.map((sum) => Math.round(Math.sqrt(sum / Math.max(1, frames))));
  return { user: user ?? 0, agent: agent ?? 0 };
}

const isAudible = (loudness: number): boolean => loudness > SILENCE_RMS;

const EXPECTED_EVENTS = 'initiated ringing in-progress completed ended';

interface DemoFacts extends DemoResults {
  webhooks: DemoWebhook[];
  /** Number of webhooks with a valid signature. */
  signed: number;
  /** The knowledge base, as the API shows it. */
  knowledge: Record<string, unknown>;
  /** The phone's record of the call; undefined: no call arrived. */
  heard: PhoneCallRecord | undefined;
  /** The second phone's record of the transferred call. */
  colleague: PhoneCallRecord | undefined;
  /** The call of the agent with a transcriber, a language model and a synthesizer. */
  pipeline: { call: Record<string, unknown>; heard: PhoneCallRecord | undefined };
  /** The last webhook of the call with a question in other words than its answer. */
  policy: DemoWebhook | undefined;
  /** The data of the post-call webhook of the call that followed a flow and was handed over. */
  flowed: Record<string, unknown>;
  /** Requests that the tool's webhook received, and whether all signatures are valid. */
  orders: ShopOrder[];
  ordersSigned: boolean;
}

/** Checks every step of the demo by the records of the remote side. */
export function checksOf(facts: DemoFacts): Check[] {
  const call = [
    ...lineChecks(facts),
    greetingCheck(facts),
    ...knowledgeChecks(facts),
    ...toolChecks(facts),
    ...transferChecks(facts),
  ];
  return [
    ...call,
    ...webhookChecks(facts),
    ...recordChecks(facts),
    ...pipelineChecks(facts),
    ...meaningChecks(facts),
    ...flowChecks(facts),
  ];
}

function flowChecks({ flowed }: DemoFacts): Check[] {
  const {
    path = [],
    values = {},
    agents = [],
  } = flowed as { path?: string[]; values?: object; agents?: { name: string }[] };
  const said = (flowed.transcript ?? []) as { role: string; text: string }[];
  return [
    {
      what: 'the fourth phone call went through the steps of its flow',
      ok: path.join() === 'ask,desk',
      found: path.join(),
    },
    {
      what: 'the flow collected the value that opened the second step',
      ok: JSON.stringify(values) === '{"department":"repairs"}',
      found: JSON.stringify(values),
    },
    {
      what: `the call was handed over to the agent ${DESK_NAME}, which spoke`,
      ok: agents.at(-1)?.name === DESK_NAME && said.some(({ text }) => text.includes('repair desk')),
      found: JSON.stringify(agents).slice(0, 300),
    },
  ];
}

function meaningChecks({ policy }: DemoFacts): Check[] {
  const data = policy?.body.data ?? {};
  const searches = (data.knowledge_searches ?? []) as { results: { text: string; matched: string }[] }[];
  const [best] = searches[0]?.results ?? [];
  const said = (data.transcript ?? []) as { role: string; text: string }[];
  return [
    {
      what: `the third phone call asked "${QUESTION}", and the passage without any of these words was found by its meaning`,
      ok: best?.matched === 'meaning' && best.text.includes(REFUNDS),
      found: JSON.stringify(searches).slice(0, 300),
    },
    {
      what: 'that agent spoke the passage',
      ok: said.some(({ role, text }) => role === 'agent' && text.includes('within thirty days')),
      found: JSON.stringify(said).slice(0, 600),
    },
  ];
}

function pipelineChecks({ pipeline: { call, heard } }: DemoFacts): Check[] {
  const costs = (call.costs ?? []) as { kind: string }[];
  const kinds = costs.map(({ kind }) => kind);
  const { answers = 0 } = (call.latency ?? {}) as { answers?: number };
  return [
    {
      what: 'the second phone call heard an agent of transcriber, language model and synthesizer',
      ok: call.status === 'completed' && (heard?.heardVoiceMs ?? 0) > 500,
      found: `${String(call.status)}, ${heard?.heardVoiceMs ?? 0} ms`,
    },
    { what: 'that agent answered what the phone said', ok: answers > 0, found: `${answers} answers` },
    {
      what: 'its bill has a line for each of the three',
      ok: ['transcription_seconds', 'output_text_tokens', 'synthesis_characters'].every((kind) => kinds.includes(kind)),
      found: kinds.join(),
    },
  ];
}

function lineChecks({ heard }: DemoFacts): Check[] {
  return [
    { what: 'the call arrived at the phone over SIP and was answered', ok: heard?.answeredAt !== undefined },
    {
      what: 'the phone heard the agent speak',
      ok: (heard?.heardVoiceMs ?? 0) > 500,
      found: `${heard?.heardVoiceMs ?? 0} ms`,
    },
  ];
}

/** The name stands in the metadata of the call alone. */
function greetingCheck({ webhooks }: DemoFacts): Check {
  const turns = (webhooks.at(-1)?.body.data?.transcript ?? []) as { role: string; text: string }[];
  const [first] = turns.filter(({ role }) => role === 'agent');
  return {
    what: 'the agent greeted the person by name',
    ok: first?.text.startsWith('Hello Ada, ') ?? false,
    found: first?.text,
  };
}

function knowledgeChecks({ knowledge, webhooks }: DemoFacts): Check[] {
  const data = webhooks.at(-1)?.body.data ?? {};
  const [search] = (data.knowledge_searches ?? []) as { query: string; results: { text: string; source: string }[] }[];
  const [best] = search?.results ?? [];
  const said = (data.transcript ?? []) as { role: string; text: string }[];
  return [
    {
      what: 'the knowledge base has processed its file',
      ok: knowledge.status === 'completed',
      found: JSON.stringify([knowledge.status, knowledge.processing_error]),
    },
    {
      what: 'the agent searched for the number that the phone entered, and found the right row of the file',
      ok: search?.query === ARTICLE && best?.source === PRICE_LIST && best.text.includes(ANSWER),
      found: JSON.stringify(search ?? null).slice(0, 300),
    },
    {
      what: 'the agent spoke the answer',
      ok: said.some(({ role, text }) => role === 'agent' && text.includes('costs three euros')),
    },
  ];
}

interface ToolCall {
  name: string;
  ok: boolean;
  started_ms: number;
  ended_ms: number;
}

interface Turn {
  role: string;
  text: string;
  started_ms: number;
}

function toolChecks({ webhooks, orders, ordersSigned }: DemoFacts): Check[] {
  const data = webhooks.at(-1)?.body.data ?? {};
  const call = ((data.tool_calls ?? []) as ToolCall[]).find(({ name }) => name === TOOL);
  const turns = ((data.transcript ?? []) as Turn[]).filter(({ role }) => role === 'agent');
  const body = orders[0] && (JSON.parse(orders[0].body) as unknown);
  const filler = turns.find(({ started_ms }) => call && started_ms > call.started_ms && started_ms < call.ended_ms);
  return [
    {
      what: 'the tool was called once, with the right arguments',
      ok:
        orders.length === 1 &&
        orders[0]?.path === `/orders/${ARTICLE}` &&
        hasFields(body, { quantity: 2, note: 'for Ada' }),
      found: JSON.stringify(orders.map(({ path, body: sent }) => [path, sent])),
    },
    {
      what: "the tool's webhook is signed, and has its secret header",
      ok: ordersSigned && orders[0]?.headers['x-api-key'] === 'only-the-shop-knows',
    },
    {
      what: 'the agent said something while it waited for the tool',
      ok: filler !== undefined,
      found: JSON.stringify([call, turns]).slice(0, 600),
    },
    {
      what: 'the agent spoke the result of the tool',
      ok: turns.some(({ text }) => text.includes(ORDER.order_number)),
    },
  ];
}

const hasFields = (body: unknown, fields: Record<string, unknown>): boolean =>
  Object.entries(fields).every(([name, value]) => (body as Record<string, unknown> | undefined)?.[name] === value);

function transferChecks({ webhooks, colleague, call }: DemoFacts): Check[] {
  const data = webhooks.at(-1)?.body.data ?? {};
  const [transfer] = (data.transfers ?? []) as { status: string }[];
  const names = ((data.tool_calls ?? []) as ToolCall[]).filter(({ ok }) => ok).map(({ name }) => name);
  return [
    { what: 'the transfer reached the second phone', ok: colleague?.answeredAt !== undefined },
    {
      what: 'the call was transferred, and ended when the second phone hung up',
      ok: transfer?.status === 'completed' && call.hangup_cause === 'transferred',
      found: JSON.stringify([data.transfers ?? null, call.hangup_cause]),
    },
    {
      what: 'the post-call webhook contains the search, the order and the transfer',
      ok: names.join() === `search_knowledge_base,${TOOL},call_transfer`,
      found: names.join(),
    },
  ];
}

function webhookChecks({ webhooks, signed }: DemoFacts): Check[] {
  const events = webhooks.map((webhook) => webhook.body.event).join(' ');
  const sequence = webhooks.map((webhook) => webhook.body.sequence);
  const postCall = webhooks.at(-1)?.body.data ?? {};
  const transcript = Array.isArray(postCall.transcript) ? (postCall.transcript as { role: string }[]) : [];
  return [
    {
      what: 'every webhook arrived, in order',
      ok: events === EXPECTED_EVENTS && sequence.every((n, i) => n === i + 1),
      found: events,
    },
    {
      what: 'every webhook is signed (Standard Webhooks)',
      ok: signed > 0 && signed === webhooks.length,
      found: `${signed} of ${webhooks.length}`,
    },
    {
      what: 'the transcript contains turns of agent and user',
      ok: ['agent', 'callee'].every((role) => transcript.some((turn) => turn.role === role)),
    },
    {
      what: 'the agent received the keys that the phone pressed',
      ok: String(postCall.summary).includes('Keys pressed'),
      found: String(postCall.summary),
    },
  ];
}

function recordChecks({ call, recording, webhooks }: DemoFacts): Check[] {
  const loudness = recording ? channelLoudness(recording) : { user: 0, agent: 0 };
  const costs = (webhooks.at(-1)?.body.data.costs ?? []) as { amount: number }[];
  const billed = costs.reduce((sum, line) => sum + Math.round(line.amount * 1e6), 0);
  return [
    { what: 'the call is completed', ok: call.status === 'completed', found: String(call.status) },
    {
      what: 'the cost lines add up to the total cost',
      ok: billed > 0 && billed === Math.round(Number(call.cost) * 1e6),
    },
    {
      what: "the recording contains the agent's voice",
      ok: isAudible(loudness.agent),
      found: `level ${loudness.agent}`,
    },
    {
      what: "the recording contains the user's voice",
      ok: isAudible(loudness.user),
      found: `level ${loudness.user}`,
    },
  ];
}
